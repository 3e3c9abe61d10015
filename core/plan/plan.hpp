// The plan of a contraction: a path made into steps with classes, roles, layouts, costs and memory.
// It is what kernels/contract runs, what --explain prints and what a dry run stops at.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/cost/estimate.hpp"
#include "core/plan/path.hpp"
#include "core/plan/problem.hpp"
#include "core/plan/roles.hpp"

namespace tt::core {

std::string_view step_class_name(StepClass c);

/// One step: one or two tensors in, one out.
struct Step {
  std::vector<int> inputs;  // 1 or 2; operands are 0..n-1, steps[i] makes n+i
  /// Of each input, by axis. In an operand a label may repeat (its diagonal), and an axis of extent
  /// 1 under a larger label broadcasts: it is neither looped over nor summed on that axis' account.
  std::vector<std::vector<Label>> labels;
  std::vector<Label> output;  // by axis, outermost first: the layout; final step: may repeat
  StepClass step_class = StepClass::gemm;
  /// Products of extents by role (roles.hpp), saturating. A label that is summed in one input alone
  /// gets a reduce step of its own, where `summed` is the elements read for one of the result. An
  /// axis of extent 1 under a larger label counts as absent from that input.
  std::int64_t batch = 1, m = 1, n = 1, k = 1, summed = 1;
  std::uint64_t multiply_adds = 0;  // batch * m * n * k; reduce: elements read; copy: 0
  std::int64_t output_elements = 0;
  Work work;                        // units of its family, for the gate and the estimate
  std::uint64_t scratch_bytes = 0;  // pack buffers while it runs
};

struct Plan {
  Problem problem;
  DType dtype = DType::float64;            // the computing type
  std::vector<Step> steps;                 // the last one makes the result
  double flops = 0;                        // 2 per multiply-add (8 complex), 1 per addition
  double naive_flops = 0;                  // the one loop over all labels of all operands
  std::int64_t largest_intermediate = 0;   // elements, the result included
  std::uint64_t predicted_peak_bytes = 0;  // operands read, result, intermediates, scratch
};

struct PlanOptions {
  DType dtype = DType::float64;
  /// Bytes that stay allocated for the whole run besides intermediates: operands that are read into
  /// buffers (not mapped) and the operand of --into.
  std::uint64_t resident_bytes = 0;
  /// Scratch that the kernels take for a step (kernels/contract provides it).
  std::function<std::uint64_t(const Step&)> scratch_bytes;
};

/// Makes the steps of a path: labels that stand in one operand alone and not in the output are
/// summed before that operand meets another; the index order of every intermediate is chosen so
/// that this step writes and the next one packs along unit stride; steps are classified and costed.
/// Steps of one input in a path make no step of their own, except for a single operand (reduce or
/// copy). The peak counts the result and resident_bytes throughout, intermediates from their step
/// to the end of the one that reads them, and the largest scratch so far. Zero extents are fine.
Plan make_plan(Problem problem, const Path& path, const PlanOptions& options);

/// The step as text with the names of its labels: "ij,jk->ik".
std::string step_text(const Plan& plan, const Step& step);

}  // namespace tt::core
