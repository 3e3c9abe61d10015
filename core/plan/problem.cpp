#include "core/plan/problem.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace tt::core {
namespace {

/// Where a label got its extent, for messages.
struct Place {
  std::size_t operand = 0, axis = 0;
};

std::string operand_text(std::size_t operand, const OperandShape& shape) {
  return fmt::format("operand {} ({})", operand, shape.name);
}

/// Collects extents label by label: equal, or 1, which broadcasts.
class Binder {
 public:
  Binder(Problem& problem, const std::vector<OperandShape>& operands)
      : problem_(problem), operands_(operands), places_(problem.names.size()) {
    problem_.extents.assign(problem.names.size(), 1);
  }

  void bind_operand(std::size_t operand) {
    const std::vector<Label>& labels = problem_.inputs[operand];
    check_diagonals(operand);
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
      const auto label = static_cast<std::size_t>(labels[axis]);
      const std::int64_t extent = operands_[operand].shape[axis];
      std::int64_t& known = problem_.extents[label];
      if (extent == 1 || extent == known) continue;
      if (known != 1) fail(label, places_[label], {operand, axis});
      known = extent;
      places_[label] = {operand, axis};
    }
  }

 private:
  /// A label that repeats inside one operand is its diagonal, and a diagonal does not broadcast.
  void check_diagonals(std::size_t operand) {
    const std::vector<Label>& labels = problem_.inputs[operand];
    const Shape& shape = operands_[operand].shape;
    first_axis_.resize(problem_.names.size(), -1);
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
      int& first = first_axis_[static_cast<std::size_t>(labels[axis])];
      if (first < 0) first = static_cast<int>(axis);
      if (shape[axis] != shape[static_cast<std::size_t>(first)])
        fail(static_cast<std::size_t>(labels[axis]), {operand, static_cast<std::size_t>(first)},
             {operand, axis});
    }
    for (const Label label : labels) first_axis_[static_cast<std::size_t>(label)] = -1;
  }

  [[noreturn]] void fail(std::size_t label, Place a, Place b) const {
    const auto place = [&](Place p) {
      return fmt::format("{} in operand {} ({} axis {})", operands_[p.operand].shape[p.axis],
                         p.operand, operands_[p.operand].name, p.axis);
    };
    const bool diagonal = a.operand == b.operand;
    throw Error(Category::data,
                fmt::format("label '{}' is {} but {}", problem_.names[label], place(a), place(b)),
                diagonal ? fmt::format("shape {}", shape_text(operands_[a.operand].shape))
                         : fmt::format("shapes {} and {}", shape_text(operands_[a.operand].shape),
                                       shape_text(operands_[b.operand].shape)),
                diagonal ? "the axes of a diagonal have one size"
                         : "sizes under one label are equal, or 1");
  }

  Problem& problem_;
  const std::vector<OperandShape>& operands_;
  std::vector<Place> places_;
  std::vector<int> first_axis_;  // by label, of the operand at hand; -1: not seen
};

bool has_ellipsis(const std::vector<Label>& term) {
  return std::find(term.begin(), term.end(), ellipsis) != term.end();
}

/// The number of axes under the ellipsis of a term (0 without one).
std::size_t ellipsis_rank(const std::vector<Label>& term, std::size_t operand,
                          const OperandShape& shape) {
  const std::size_t rank = shape.shape.size();
  const std::size_t labels = term.size() - (has_ellipsis(term) ? 1 : 0);
  if (rank == labels || (rank > labels && has_ellipsis(term))) return rank - labels;
  throw Error(Category::data,
              fmt::format("{} has {} dimension{} but its term has {} label{}{}",
                          operand_text(operand, shape), rank, rank == 1 ? "" : "s", labels,
                          labels == 1 ? "" : "s", has_ellipsis(term) ? " besides '...'" : ""),
              fmt::format("shape {}", shape_text(shape.shape)),
              "one label a dimension, or '...' for several");
}

/// Puts the last `count` of the ellipsis labels in the place of "...".
std::vector<Label> expand(const std::vector<Label>& term, std::size_t count,
                          const std::vector<Label>& axes) {
  std::vector<Label> labels;
  for (const Label label : term) {
    if (label == ellipsis)
      labels.insert(labels.end(), axes.end() - static_cast<std::ptrdiff_t>(count), axes.end());
    else
      labels.push_back(label);
  }
  return labels;
}

/// The axes of the ellipsis, then the labels that stand once, by their text (code points).
std::vector<Label> implicit_output(const Spec& spec, const std::vector<Label>& axes) {
  std::vector<int> seen(spec.names.size(), 0);
  for (const std::vector<Label>& term : spec.inputs)
    for (const Label label : term)
      if (label != ellipsis) ++seen[static_cast<std::size_t>(label)];
  std::vector<Label> once;
  for (std::size_t label = 0; label < seen.size(); ++label)
    if (seen[label] == 1) once.push_back(static_cast<Label>(label));
  std::sort(once.begin(), once.end(), [&](Label a, Label b) {
    return spec.names[static_cast<std::size_t>(a)] < spec.names[static_cast<std::size_t>(b)];
  });
  std::vector<Label> output = axes;
  output.insert(output.end(), once.begin(), once.end());
  return output;
}

void check_result_count(const Problem& problem) {
  if (checked_count(problem.output_shape())) return;
  throw Error(Category::memory, "the result has more than 2^63-1 elements",
              fmt::format("{} dimensions", problem.output.size()), "a smaller output");
}

}  // namespace

Shape Problem::output_shape() const {
  Shape shape;
  for (const Label label : output) shape.push_back(extents[static_cast<std::size_t>(label)]);
  return shape;
}

Problem bind(const Spec& spec, const std::vector<OperandShape>& operands) {
  if (operands.size() != spec.inputs.size())
    throw Error(Category::usage,
                fmt::format("the spec has {} term{} but {} operand{} given", spec.inputs.size(),
                            spec.inputs.size() == 1 ? "" : "s", operands.size(),
                            operands.size() == 1 ? " is" : "s are"),
                "", "one operand a term");
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < operands.size(); ++i)
    ranks.push_back(ellipsis_rank(spec.inputs[i], i, operands[i]));
  const std::size_t axes_count = *std::max_element(ranks.begin(), ranks.end());

  Problem problem;
  for (std::size_t label = 0; label < spec.names.size(); ++label)
    problem.names.push_back(label_name(spec, static_cast<Label>(label)));
  std::vector<Label> axes;  // the labels that "..." stands for, outermost first
  for (std::size_t i = 0; i < axes_count; ++i) {
    axes.push_back(static_cast<Label>(problem.names.size()));
    problem.names.push_back(fmt::format("...{}", i));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    problem.inputs.push_back(expand(spec.inputs[i], ranks[i], axes));
    problem.shapes.push_back(operands[i].shape);
  }
  Binder binder(problem, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) binder.bind_operand(i);

  if (spec.output && axes_count > 0 && !has_ellipsis(*spec.output))
    throw Error(Category::usage,
                fmt::format("the output has no '...', which stands for {} axes of the operands",
                            axes_count),
                "", "put '...' into the output too");
  problem.output =
      spec.output ? expand(*spec.output, axes_count, axes) : implicit_output(spec, axes);
  problem.groups = spec.groups;
  check_result_count(problem);
  return problem;
}

Problem bind_matmul(const OperandShape& a, const OperandShape& b) {
  const std::vector<OperandShape> operands = {a, b};
  for (std::size_t i = 0; i < 2; ++i)
    if (operands[i].shape.empty())
      throw Error(Category::data, fmt::format("{} is a scalar", operand_text(i, operands[i])), "",
                  "operands of at least one dimension");
  const std::size_t rank_a = a.shape.size(), rank_b = b.shape.size();
  const std::size_t inner_b = rank_b == 1 ? 0 : rank_b - 2;
  if (a.shape.back() != b.shape[inner_b])
    throw Error(
        Category::data,
        fmt::format("the inner sizes differ: {} in operand 0 ({} axis {}) but {} in operand 1 "
                    "({} axis {})",
                    a.shape.back(), a.name, rank_a - 1, b.shape[inner_b], b.name, inner_b),
        fmt::format("shapes {} and {}", shape_text(a.shape), shape_text(b.shape)),
        "the last axis of the first and the last but one of the second are equal");

  Problem problem;
  problem.names = {"m", "n", "k"};
  constexpr Label m = 0, n = 1, k = 2;
  const std::size_t batch_a = rank_a > 2 ? rank_a - 2 : 0, batch_b = rank_b > 2 ? rank_b - 2 : 0;
  std::vector<Label> axes;
  for (std::size_t i = 0; i < std::max(batch_a, batch_b); ++i) {
    axes.push_back(static_cast<Label>(problem.names.size()));
    problem.names.push_back(fmt::format("...{}", i));
  }
  problem.inputs.push_back(
      expand(rank_a == 1 ? std::vector{k} : std::vector{ellipsis, m, k}, batch_a, axes));
  problem.inputs.push_back(
      expand(rank_b == 1 ? std::vector{k} : std::vector{ellipsis, k, n}, batch_b, axes));
  problem.shapes = {a.shape, b.shape};
  problem.output = axes;
  if (rank_a > 1) problem.output.push_back(m);
  if (rank_b > 1) problem.output.push_back(n);
  Binder binder(problem, operands);
  binder.bind_operand(0);
  binder.bind_operand(1);
  check_result_count(problem);
  return problem;
}

}  // namespace tt::core
