// The axes of one step: labels and strides of its tensors become lists of axes by role, fused where
// the memory of every tensor allows it. Pure functions of labels, extents and strides.
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/tensor/view.hpp"

namespace tt::kernels {

/// One loop of a step: its extent and its stride (elements) in each tensor, 0 where it is absent.
struct Axis {
  std::int64_t extent = 1;
  std::int64_t stride_A = 0, stride_B = 0, stride_C = 0;

  bool operator==(const Axis&) const = default;
};

/// The loops of C = sum A B. batch: in A, B and C. m: in A and C. n: in B and C. k: in A or B or
/// both, not in C: summed. Each list is outermost first; extents of 1 are dropped.
struct StepAxes {
  std::vector<Axis> batch, m, n, k;
};

/// A label that repeats in one tensor is its diagonal (strides add up); an axis of extent 1 under a
/// larger label does not move. B is null for a step of one input (then everything kept is m).
StepAxes step_axes(const std::vector<std::int64_t>& extents,
                   const std::vector<core::Label>& labels_A, const core::ArrayRef& A,
                   const std::vector<core::Label>* labels_B, const core::ArrayRef* B,
                   const std::vector<core::Label>& labels_C, const core::MutableArrayRef& C);

/// Joins neighbours that are one run of memory in all three tensors: (3: 4,_,8), (4: 1,_,2) is
/// (12: 1,_,2).
void fuse(std::vector<Axis>& axes);

/// The product of the extents.
std::int64_t length(const std::vector<Axis>& axes);

}  // namespace tt::kernels
