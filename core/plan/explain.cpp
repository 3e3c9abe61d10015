#include "core/plan/explain.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>

#include "core/tensor/memory.hpp"

namespace tt::core {
namespace {

/// "812 ns", "3.4 us", "1.20 s".
std::string time_text(std::int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (value < 1e3) return fmt::format("{} ns", ns);
  if (value < 1e6) return fmt::format("{:.3g} us", value / 1e3);
  if (value < 1e9) return fmt::format("{:.3g} ms", value / 1e6);
  return fmt::format("{:.4g} s", value / 1e9);
}

struct Row {
  std::string number, inputs, subscripts, step_class, flops, elements, width, estimate;
};

/// Flops of one step as the totals count them.
double step_flops(const Plan& plan, const Step& step) {
  const auto count = static_cast<double>(step.multiply_adds);
  if (step.step_class == StepClass::reduce) return count * addition_flops(plan.dtype);
  const double sum = step.k == 1 ? 0 : addition_flops(plan.dtype);
  return count * (product_flops(plan.dtype) + sum);
}

Row row_of(const Plan& plan, std::size_t i, const StepDecision& decision) {
  const Step& step = plan.steps[i];
  std::string inputs;
  for (const int input : step.inputs)
    inputs += fmt::format("{}{}", inputs.empty() ? "" : ",", input);
  return {fmt::format("{}", plan.problem.inputs.size() + i),
          inputs,
          step_text(plan, step),
          std::string(step_class_name(step.step_class)),
          fmt::format("{:.4g}", step_flops(plan, step)),
          fmt::format("{}", step.output_elements),
          fmt::format("{}", decision.width),
          time_text(decision.estimate_ns)};
}

/// Characters, not bytes: labels may be UTF-8.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

constexpr std::string Row::*fields[] = {&Row::number,     &Row::inputs,  &Row::subscripts,
                                        &Row::step_class, &Row::flops,   &Row::elements,
                                        &Row::width,      &Row::estimate};
constexpr bool left_aligned[] = {false, true, true, true, false, false, false, false};

void write_table(std::ostream& out, const std::vector<Row>& rows) {
  // A very long subscript does not push the other columns out of sight of all rows.
  constexpr std::size_t widest = 60;
  std::array<std::size_t, std::size(fields)> widths{};
  for (const Row& row : rows)
    for (std::size_t f = 0; f < widths.size(); ++f)
      widths[f] = std::min(widest, std::max(widths[f], columns(row.*fields[f])));
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t f = 0; f < widths.size(); ++f) {
      const std::string& cell = row.*fields[f];
      const std::string fill(widths[f] - std::min(widths[f], columns(cell)), ' ');
      if (f > 0) line += "  ";
      line += left_aligned[f] ? cell + fill : fill + cell;
    }
    out << line << '\n';
  }
}

}  // namespace

void write_plan(std::ostream& out, const Plan& plan, const std::vector<StepDecision>& decisions) {
  std::vector<Row> rows{
      {"step", "of", "subscripts", "class", "flops", "elements", "width", "estimate"}};
  std::int64_t estimate_ns = 0;
  int width = 1;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    rows.push_back(row_of(plan, i, decisions.at(i)));
    estimate_ns += decisions[i].estimate_ns;
    width = std::max(width, decisions[i].width);
  }
  write_table(out, rows);
  out << fmt::format("total flops: {:.4g} (naive: {:.4g}, one loop over all labels)\n", plan.flops,
                     plan.naive_flops);
  out << fmt::format("total estimate: {} on one thread, largest width: {}\n",
                     time_text(estimate_ns), width);
  out << fmt::format("largest intermediate: {} elements\n", plan.largest_intermediate);
  out << fmt::format("predicted_peak_bytes: {} ({})\n", plan.predicted_peak_bytes,
                     size_text(plan.predicted_peak_bytes));
}

}  // namespace tt::core
