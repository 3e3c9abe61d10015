// The printed plan of --explain: steps, totals, naive cost, largest intermediate, predicted peak.
#pragma once

#include <iosfwd>
#include <vector>

#include "core/plan/plan.hpp"

namespace tt::core {

/// What the gates planned for a step.
struct StepDecision {
  int width = 1;
  std::int64_t estimate_ns = 0;
};

/// One line a step (number, inputs, subscripts, class, flops, elements, width, estimate), then
/// totals.
void write_plan(std::ostream& out, const Plan& plan, const std::vector<StepDecision>& decisions);

}  // namespace tt::core
