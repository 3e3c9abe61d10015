// Problems for the tests of paths and plans: made from text, made at random, and evaluated by plain
// loops over all labels.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/plan/network.hpp"
#include "core/plan/plan.hpp"

namespace tt::core::testing {

/// A problem whose labels have the given extents ("ij,jk->ik", {{'i', 2}, ...}); others are 2.
inline Problem problem_of(std::string_view text, const std::map<char, std::int64_t>& extents = {}) {
  const Spec spec = parse_spec(text);
  std::vector<OperandShape> operands;
  for (const std::vector<Label>& term : spec.inputs) {
    OperandShape operand;
    operand.name = fmt::format("x{}", operands.size());
    for (const Label label : term) {
      const auto found = extents.find(spec.names[static_cast<std::size_t>(label)][0]);
      operand.shape.push_back(found == extents.end() ? 2 : found->second);
    }
    operands.push_back(std::move(operand));
  }
  return tt::core::bind(spec, operands);
}

/// A dense tensor of small integers, exact in double.
struct Dense {
  std::vector<Label> axes;
  Shape shape;
  std::vector<double> data;
};

/// The sum over all labels that the output lacks, one loop nest. An axis of extent 1 broadcasts: it
/// is not looped over on its account.
inline Dense contract(const std::vector<Dense>& inputs, const std::vector<Label>& output,
                      const std::vector<std::int64_t>& extents) {
  std::vector<Label> loops = output;
  for (const Dense& input : inputs)
    for (std::size_t axis = 0; axis < input.axes.size(); ++axis)
      if (input.shape[axis] != 1) loops.push_back(input.axes[axis]);
  std::sort(loops.begin(), loops.end());
  loops.erase(std::unique(loops.begin(), loops.end()), loops.end());
  Dense result{output, {}, {}};
  for (const Label label : output) result.shape.push_back(extents[static_cast<std::size_t>(label)]);
  result.data.assign(static_cast<std::size_t>(element_count(result.shape)), 0);

  std::vector<std::int64_t> at(extents.size(), 0);
  const auto offset = [&](const Dense& tensor) {
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < tensor.axes.size(); ++axis)
      place = place * tensor.shape[axis] +
              (tensor.shape[axis] == 1 ? 0 : at[static_cast<std::size_t>(tensor.axes[axis])]);
    return static_cast<std::size_t>(place);
  };
  for (const Label label : loops)
    if (extents[static_cast<std::size_t>(label)] == 0) return result;
  while (true) {
    double product = 1;
    for (const Dense& input : inputs) product *= input.data[offset(input)];
    result.data[offset(result)] += product;
    std::size_t i = 0;
    for (; i < loops.size(); ++i) {
      const auto label = static_cast<std::size_t>(loops[i]);
      if (++at[label] < extents[label]) break;
      at[label] = 0;
    }
    if (i == loops.size()) return result;
  }
}

inline std::vector<Dense> random_operands(const Problem& problem, std::mt19937& random) {
  std::vector<Dense> operands;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    Dense dense{problem.inputs[i], problem.shapes[i], {}};
    dense.data.resize(static_cast<std::size_t>(element_count(dense.shape)));
    for (double& value : dense.data) value = static_cast<double>(random() % 5) - 2;
    operands.push_back(std::move(dense));
  }
  return operands;
}

/// Runs the steps of a plan by plain loops.
inline Dense evaluate(const Plan& plan, std::vector<Dense> tensors) {
  for (const Step& step : plan.steps) {
    std::vector<Dense> inputs;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      inputs.push_back(tensors.at(static_cast<std::size_t>(step.inputs[i])));
      if (inputs.back().axes != step.labels.at(i)) return {};
    }
    tensors.push_back(contract(inputs, step.output, plan.problem.extents));
  }
  return tensors.back();
}

/// A random problem: up to `operands` terms over few labels, with diagonals, hyperedges, scalars,
/// broadcast axes, repeated output labels and, rarely, an extent of 0.
inline Problem random_problem(std::mt19937& random, int operands) {
  const int labels = 1 + static_cast<int>(random() % 7);
  std::vector<std::int64_t> extents;
  for (int l = 0; l < labels; ++l) {
    const auto die = random() % 20;
    extents.push_back(die == 0 ? 0 : die < 3 ? 1 : 2 + static_cast<std::int64_t>(random() % 2));
  }
  std::string text;
  std::vector<OperandShape> shapes;
  const int terms = 1 + static_cast<int>(random() % static_cast<unsigned>(operands));
  std::string used;
  for (int t = 0; t < terms; ++t) {
    if (t > 0) text += ',';
    OperandShape operand;
    operand.name = fmt::format("x{}", t);
    std::map<int, std::int64_t> here;  // a diagonal has one extent
    const int rank = static_cast<int>(random() % 4);
    for (int axis = 0; axis < rank; ++axis) {
      const int label = static_cast<int>(random() % static_cast<unsigned>(labels));
      const std::int64_t extent = random() % 8 == 0 ? 1 : extents[static_cast<std::size_t>(label)];
      text += static_cast<char>('a' + label);
      used += static_cast<char>('a' + label);
      operand.shape.push_back(here.emplace(label, extent).first->second);
    }
    shapes.push_back(std::move(operand));
  }
  text += "->";
  for (const char label : used)
    if (random() % 3 == 0) text += label;
  return tt::core::bind(parse_spec(text), shapes);
}

inline std::string text_of(const Problem& problem) {
  std::string text;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    text += i > 0 ? "," : "";
    for (const Label label : problem.inputs[i])
      text += problem.names[static_cast<std::size_t>(label)];
    text += shape_text(problem.shapes[i]);
  }
  text += "->";
  for (const Label label : problem.output) text += problem.names[static_cast<std::size_t>(label)];
  return text;
}

/// A random connected network of few tensors: a path through all of them, and more labels (some of
/// them hyperedges) on top.
inline Network random_network(std::mt19937& random, int tensors) {
  Network network;
  network.tensors.resize(static_cast<std::size_t>(tensors));
  const auto add_label = [&](const std::vector<int>& holders) {
    const int label = static_cast<int>(network.extents.size());
    network.extents.push_back(static_cast<double>(2 + random() % 5));
    network.open.push_back(random() % 6 == 0);
    for (const int holder : holders) {
      LabelSet& set = network.tensors[static_cast<std::size_t>(holder)];
      if (set.empty() || set.back() != label) set.push_back(label);
    }
  };
  for (int i = 1; i < tensors; ++i) add_label({i - 1, i});
  const auto any = [&] { return static_cast<int>(random() % static_cast<unsigned>(tensors)); };
  for (int i = 0; i < tensors; ++i) {
    const int a = any(), b = any(), c = any();
    if (a == b) continue;
    if (random() % 4 == 0 && c != a && c != b)
      add_label({a, b, c});
    else
      add_label({a, b});
  }
  return network;
}

}  // namespace tt::core::testing
