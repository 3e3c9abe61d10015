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

namespace tt::core {

/// What a step is in shape; it decides the kernel, the family and the unit of its gate.
enum class StepClass : std::uint8_t { gemm, batched, matvec, outer, elementwise, reduce, copy };
std::string_view step_class_name(StepClass c);

/// One step: one or two tensors in, one out. Tensors are numbered as in Path.
struct Step {
  std::vector<int> inputs;                  // 1 or 2
  std::vector<std::vector<Label>> labels;   // of each input, by axis (operands: may repeat)
  std::vector<Label> output;                // by axis, outermost first: the layout; final step: may repeat
  StepClass step_class = StepClass::gemm;
  /// Products of extents by role. batch: in A, B and C. m: in A and C. n: in B and C. k: in A and B,
  /// not in C. Labels of one input only that are not in C are summed (`summed`: in A or B alone).
  std::int64_t batch = 1, m = 1, n = 1, k = 1, summed = 1;
  std::uint64_t multiply_adds = 0;          // saturating
  std::int64_t output_elements = 0;
  Work work;                                // units of its family, for the gate and the estimate
  std::uint64_t scratch_bytes = 0;          // pack buffers while it runs
};

struct Plan {
  Problem problem;
  DType dtype = DType::float64;             // the computing type
  std::vector<Step> steps;                  // the last one makes the result
  double flops = 0;                         // 2 per multiply-add (8 complex), 1 per addition
  double naive_flops = 0;                   // the one loop over all labels
  std::int64_t largest_intermediate = 0;    // elements, the result included
  std::uint64_t predicted_peak_bytes = 0;   // operands read, result, intermediates, scratch
};

struct PlanOptions {
  DType dtype = DType::float64;
  /// Bytes that stay allocated for the whole run besides intermediates: operands that are read into
  /// buffers (not mapped) and the operand of --into.
  std::uint64_t resident_bytes = 0;
  /// Bytes of each element of the result as it is stored (--accumulate), 0: as computed.
  /// Scratch that the kernels take for a step (kernels/contract provides it).
  std::function<std::uint64_t(const Step&)> scratch_bytes;
};

/// Makes the steps of a path: sums labels of one operand first where that is cheaper, chooses the
/// index order of every intermediate so that the next step packs along unit stride, classifies, costs.
/// A single operand gets one step (reduce or copy).
Plan make_plan(Problem problem, const Path& path, const PlanOptions& options);

/// The step as text with the names of its labels: "ij,jk->ik".
std::string step_text(const Plan& plan, const Step& step);

}  // namespace tt::core
