#include "core/plan/plan.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "core/check.hpp"
#include "core/plan/layout.hpp"

namespace tt::core {
namespace {

constexpr double largest_count = 9.2e18;

std::int64_t saturated_count(double value) {
  return value < largest_count ? static_cast<std::int64_t>(value)
                               : std::numeric_limits<std::int64_t>::max();
}

std::uint64_t saturated_bytes(double value) {
  return value < 1.8e19 ? static_cast<std::uint64_t>(value)
                        : std::numeric_limits<std::uint64_t>::max();
}

/// The path as pairs: steps of one input only give a tensor another number. Tensors of the pairs
/// are operands, then one a pair.
std::vector<std::pair<int, int>> pairs_of(const Path& path, int operands) {
  std::vector<int> own(static_cast<std::size_t>(operands));
  for (int i = 0; i < operands; ++i) own[static_cast<std::size_t>(i)] = i;
  std::vector<std::pair<int, int>> pairs;
  for (const std::vector<int>& step : path) {
    const int first = own[static_cast<std::size_t>(step[0])];
    if (step.size() == 1) {
      own.push_back(first);
      continue;
    }
    pairs.emplace_back(first, own[static_cast<std::size_t>(step[1])]);
    own.push_back(operands + static_cast<int>(pairs.size()) - 1);
  }
  TT_CHECK_EQ(static_cast<int>(pairs.size()), operands - 1);
  return pairs;
}

/// A tensor while the plan is made. `axes` is what the kernels see; `labels` are the distinct ones
/// that count: an operand's axis of 1 under a larger label broadcasts, and is absent.
struct Tensor {
  int id = 0;
  std::vector<Label> axes;
  std::vector<Label> labels;
};

class Planner {
 public:
  Planner(Problem problem, const PlanOptions& options) : options_(options) {
    plan_.problem = std::move(problem);
    plan_.dtype = options.dtype;
    const std::size_t labels = plan_.problem.extents.size();
    holders_.assign(labels, 0);
    in_output_.assign(labels, false);
    seen_.assign(labels, 0);
    for (const Label label : plan_.problem.output) in_output_[index(label)] = true;
    for (std::size_t i = 0; i < plan_.problem.inputs.size(); ++i) add_operand(i);
  }

  Plan plan(const Path& path) {
    const int operands = static_cast<int>(plan_.problem.inputs.size());
    if (operands == 1) {
      add_single(tensors_[0], plan_.problem.output);
    } else {
      const std::vector<std::pair<int, int>> pairs = pairs_of(path, operands);
      find_kept_labels(pairs);
      for (std::size_t i = 0; i < pairs.size(); ++i) add_pair(i, pairs);
    }
    sum_up();
    return std::move(plan_);
  }

 private:
  static std::size_t index(Label label) { return static_cast<std::size_t>(label); }
  double extent(Label label) const {
    return static_cast<double>(plan_.problem.extents[index(label)]);
  }
  double product(std::span<const Label> labels) const {
    double size = 1;  // stays finite, so that an extent of 0 makes it 0
    for (const Label label : labels) size = std::min(size * extent(label), 1e300);
    return size;
  }

  /// Makes a set of labels, told by its number in seen_; only the last set is whole.
  int mark(std::span<const Label> labels) {
    ++marks_;
    return mark_also(labels);
  }
  /// Adds to the last set.
  int mark_also(std::span<const Label> labels) {
    for (const Label label : labels) seen_[index(label)] = marks_;
    return marks_;
  }

  void add_operand(std::size_t i) {
    Tensor tensor;
    tensor.id = static_cast<int>(i);
    tensor.axes = plan_.problem.inputs[i];
    const int set = ++marks_;
    for (std::size_t axis = 0; axis < tensor.axes.size(); ++axis) {
      const Label label = tensor.axes[axis];
      const bool broadcasts =
          plan_.problem.shapes[i][axis] == 1 && plan_.problem.extents[index(label)] != 1;
      if (broadcasts || seen_[index(label)] == set) continue;
      seen_[index(label)] = set;
      tensor.labels.push_back(label);
      ++holders_[index(label)];
    }
    tensors_.push_back(std::move(tensor));
  }

  /// A label of extent 1 that the output lacks is nowhere needed.
  bool needed(Label label) const {
    return in_output_[index(label)] || (holders_[index(label)] > 0 && extent(label) != 1);
  }

  /// First pass: which labels each pair's result has. Layouts look ahead at the step that reads it.
  void find_kept_labels(const std::vector<std::pair<int, int>>& pairs) {
    const int operands = static_cast<int>(tensors_.size());
    consumer_.assign(tensors_.size() + pairs.size(), -1);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto [a, b] = pairs[i];
      consumer_[static_cast<std::size_t>(a)] = consumer_[static_cast<std::size_t>(b)] =
          static_cast<int>(i);
      Tensor result;
      result.id = operands + static_cast<int>(i);
      for (const int input : {a, b})
        for (const Label label : tensors_[static_cast<std::size_t>(input)].labels)
          --holders_[index(label)];
      const int set = ++marks_;
      for (const int input : {a, b})
        for (const Label label : tensors_[static_cast<std::size_t>(input)].labels) {
          if (seen_[index(label)] == set || !needed(label)) continue;
          seen_[index(label)] = set;
          result.labels.push_back(label);
        }
      for (const Label label : result.labels) ++holders_[index(label)];
      tensors_.push_back(std::move(result));
    }
  }

  void add_pair(std::size_t i, const std::vector<std::pair<int, int>>& pairs) {
    const std::size_t operands = plan_.problem.inputs.size();
    const auto [a_id, b_id] = pairs[i];
    Tensor& result = tensors_[operands + i];
    const Tensor a = reduced(tensors_[static_cast<std::size_t>(a_id)],
                             tensors_[static_cast<std::size_t>(b_id)].labels, result.labels);
    const Tensor b = reduced(tensors_[static_cast<std::size_t>(b_id)],
                             tensors_[static_cast<std::size_t>(a_id)].labels, result.labels);
    const bool last = i + 1 == pairs.size();
    if (!last) result.labels = layout(a, b, i, pairs);
    result.axes = last ? plan_.problem.output : result.labels;
    Step step;
    step.inputs = {a.id, b.id};
    step.labels = {a.axes, b.axes};
    step.output = result.axes;
    set_pair_costs(step, a, b, result.labels);
    result.id = push(std::move(step));
  }

  /// The index order of a result that another pair reads (layout.hpp).
  std::vector<Label> layout(const Tensor& a, const Tensor& b, std::size_t i,
                            const std::vector<std::pair<int, int>>& pairs) const {
    const std::size_t operands = plan_.problem.inputs.size();
    const auto reader = static_cast<std::size_t>(consumer_[operands + i]);
    const auto [x, y] = pairs[reader];
    const int partner = static_cast<std::size_t>(x) == operands + i ? y : x;
    const Tensor& other = tensors_[static_cast<std::size_t>(partner)];
    const bool reader_is_last = reader + 1 == pairs.size();
    return choose_layout(
        {.a = a.labels,
         .b = b.labels,
         .result = tensors_[operands + i].labels,
         .partner = other.labels,
         .next = reader_is_last ? plan_.problem.output : tensors_[operands + reader].labels,
         .extents = plan_.problem.extents});
  }

  /// Sums what stands in this tensor alone and not in the result, in a step of its own: one pass
  /// over the tensor instead of one for every column of the other.
  Tensor reduced(const Tensor& tensor, const std::vector<Label>& other,
                 const std::vector<Label>& result) {
    mark(other);
    const int kept = mark_also(result);
    Tensor sum;
    bool shrinks = false;
    for (const Label label : tensor.labels) {
      if (seen_[index(label)] == kept)
        sum.labels.push_back(label);
      else
        shrinks = shrinks || extent(label) != 1;
    }
    if (!shrinks) return tensor;
    sum.axes = sum.labels;
    sum.id = add_single(tensor, sum.labels);
    return sum;
  }

  /// One input: a sum over labels that the output lacks, or a copy.
  int add_single(const Tensor& tensor, const std::vector<Label>& output) {
    Step step;
    step.inputs = {tensor.id};
    step.labels = {tensor.axes};
    step.output = output;
    const double read = product(tensor.labels);
    const int set = mark(output);
    double summed = 1, kept = 1;
    for (const Label label : tensor.labels)
      (seen_[index(label)] == set ? kept : summed) *= extent(label);
    step.step_class = summed == 1 ? StepClass::copy : StepClass::reduce;
    step.m = saturated_count(kept);
    step.summed = saturated_count(summed);
    step.multiply_adds = step.step_class == StepClass::copy ? 0 : saturated_bytes(read);
    step.output_elements = saturated_count(product(output));
    set_work(step, read, read + kept);
    if (step.step_class == StepClass::reduce) plan_.flops += read * addition_flops(plan_.dtype);
    return push(std::move(step));
  }

  void set_pair_costs(Step& step, const Tensor& a, const Tensor& b,
                      const std::vector<Label>& result) {
    RoleSizes roles;
    const int in_b = mark(b.labels);
    std::vector<Label> shared, only_a;
    for (const Label label : a.labels)
      (seen_[index(label)] == in_b ? shared : only_a).push_back(label);
    const int in_result = mark(result);
    for (const Label label : shared)
      (seen_[index(label)] == in_result ? roles.batch : roles.k) *= extent(label);
    roles.m = product(only_a);
    const int in_a = mark(a.labels);
    for (const Label label : b.labels)
      if (seen_[index(label)] != in_a) roles.n *= extent(label);

    step.step_class = pair_class(roles);
    step.batch = saturated_count(roles.batch);
    step.m = saturated_count(roles.m);
    step.n = saturated_count(roles.n);
    step.k = saturated_count(roles.k);
    step.multiply_adds = saturated_bytes(roles.multiply_adds());
    step.output_elements = saturated_count(product(step.output));
    set_work(step, pair_units(step.step_class, roles), roles.a() + roles.b() + roles.c());
    plan_.flops += pair_flops(roles, plan_.dtype);
  }

  void set_work(Step& step, double units, double elements_moved) const {
    step.work.family = family_of(step.step_class);
    step.work.dtype = plan_.dtype;
    step.work.units = saturated_bytes(units);
    step.work.bytes =
        saturated_bytes(elements_moved * static_cast<double>(dtype_bytes(plan_.dtype)));
  }

  int push(Step step) {
    if (options_.scratch_bytes) step.scratch_bytes = options_.scratch_bytes(step);
    plan_.steps.push_back(std::move(step));
    return static_cast<int>(plan_.problem.inputs.size() + plan_.steps.size()) - 1;
  }

  void sum_up() {
    double all = 1;
    bool sums = false;
    std::vector<bool> met(plan_.problem.extents.size(), false);
    for (const std::vector<Label>& term : plan_.problem.inputs)
      for (const Label label : term) {
        if (met[index(label)]) continue;
        met[index(label)] = true;
        all *= extent(label);
        sums = sums || !in_output_[index(label)];
      }
    const auto operands = static_cast<double>(plan_.problem.inputs.size());
    plan_.naive_flops = all * ((operands - 1) * product_flops(plan_.dtype) +
                               (sums ? addition_flops(plan_.dtype) : 0));
    for (const Step& step : plan_.steps)
      plan_.largest_intermediate = std::max(plan_.largest_intermediate, step.output_elements);
    plan_.predicted_peak_bytes = saturated_bytes(peak_bytes());
  }

  /// The most that is allocated at once. The result stands from the beginning; pack buffers grow to
  /// what the largest step so far takes and stay.
  double peak_bytes() const {
    const auto bytes_of = [&](const Step& step) {
      return static_cast<double>(step.output_elements) *
             static_cast<double>(dtype_bytes(plan_.dtype));
    };
    const std::size_t operands = plan_.problem.inputs.size();
    double live = static_cast<double>(options_.resident_bytes) + bytes_of(plan_.steps.back());
    double scratch = 0, peak = live;
    for (const Step& step : plan_.steps) {
      if (&step != &plan_.steps.back()) live += bytes_of(step);
      scratch = std::max(scratch, static_cast<double>(step.scratch_bytes));
      peak = std::max(peak, live + scratch);
      for (const int input : step.inputs)
        if (static_cast<std::size_t>(input) >= operands)
          live -= bytes_of(plan_.steps[static_cast<std::size_t>(input) - operands]);
    }
    return peak;
  }

  const PlanOptions& options_;
  Plan plan_;
  std::vector<Tensor> tensors_;  // operands, then the result of each pair; ids are the plan's
  std::vector<int> consumer_;    // by tensor: the pair that reads it
  std::vector<int> holders_;     // by label: tensors that have it and are not used up
  std::vector<bool> in_output_;  // by label
  std::vector<int> seen_;        // by label: the last set that marked it
  int marks_ = 0;
};

}  // namespace

std::string_view step_class_name(StepClass c) {
  switch (c) {
    case StepClass::gemm:
      return "gemm";
    case StepClass::batched:
      return "batched";
    case StepClass::matvec:
      return "matvec";
    case StepClass::outer:
      return "outer";
    case StepClass::elementwise:
      return "elementwise";
    case StepClass::reduce:
      return "reduce";
    case StepClass::copy:
      break;
  }
  return "copy";
}

Plan make_plan(Problem problem, const Path& path, const PlanOptions& options) {
  return Planner(std::move(problem), options).plan(path);
}

std::string step_text(const Plan& plan, const Step& step) {
  std::string text;
  const auto add = [&](const std::vector<Label>& labels) {
    for (const Label label : labels) text += plan.problem.names[static_cast<std::size_t>(label)];
  };
  for (std::size_t i = 0; i < step.labels.size(); ++i) {
    if (i > 0) text += ',';
    add(step.labels[i]);
  }
  text += "->";
  add(step.output);
  return text;
}

}  // namespace tt::core
