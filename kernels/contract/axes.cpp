#include "kernels/contract/axes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

namespace tt::kernels {
namespace {

struct LabelUse {
  Axis axis;
  bool in_A = false, in_B = false, in_C = false;
};

using Uses = std::map<core::Label, LabelUse>;

/// Adds the strides of one tensor to the uses of its labels. An output label of extent 1 may be in
/// no input: it moves nothing.
void add(Uses& uses, const std::vector<std::int64_t>& extents,
         const std::vector<core::Label>& labels, const core::Shape& shape,
         const core::Strides& strides, std::int64_t Axis::*stride, bool LabelUse::*flag) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::int64_t extent = extents[static_cast<std::size_t>(labels[i])];
    if (shape[i] == 1 && extent != 1) continue;  // a label that only broadcasts is no loop here
    LabelUse& use = uses[labels[i]];
    use.axis.extent = extent;
    use.axis.*stride += strides[i];
    use.*flag = true;
  }
}

/// Outermost first by the stride in C, then in A, then in B.
bool outer(const Axis& a, const Axis& b) {
  const auto key = [](const Axis& x) {
    return std::array{std::abs(x.stride_C), std::abs(x.stride_A), std::abs(x.stride_B)};
  };
  return key(a) > key(b);
}

}  // namespace

void fuse(std::vector<Axis>& axes) {
  std::vector<Axis> fused;
  for (const Axis& axis : axes) {
    if (!fused.empty()) {
      Axis& last = fused.back();
      if (last.stride_A == axis.extent * axis.stride_A &&
          last.stride_B == axis.extent * axis.stride_B &&
          last.stride_C == axis.extent * axis.stride_C) {
        last = {last.extent * axis.extent, axis.stride_A, axis.stride_B, axis.stride_C};
        continue;
      }
    }
    fused.push_back(axis);
  }
  axes = std::move(fused);
}

std::int64_t length(const std::vector<Axis>& axes) {
  std::int64_t count = 1;
  for (const Axis& axis : axes) count *= axis.extent;
  return count;
}

StepAxes step_axes(const std::vector<std::int64_t>& extents,
                   const std::vector<core::Label>& labels_A, const core::ArrayRef& A,
                   const std::vector<core::Label>* labels_B, const core::ArrayRef* B,
                   const std::vector<core::Label>& labels_C, const core::MutableArrayRef& C) {
  Uses uses;
  add(uses, extents, labels_A, A.shape, A.strides, &Axis::stride_A, &LabelUse::in_A);
  if (B) add(uses, extents, *labels_B, B->shape, B->strides, &Axis::stride_B, &LabelUse::in_B);
  add(uses, extents, labels_C, C.shape, C.strides, &Axis::stride_C, &LabelUse::in_C);

  StepAxes axes;
  for (const auto& [label, use] : uses) {
    if (use.axis.extent == 1) continue;
    std::vector<Axis>& role = !use.in_C              ? axes.k
                              : use.in_A && use.in_B ? axes.batch
                              : use.in_B             ? axes.n
                                                     : axes.m;
    role.push_back(use.axis);
  }
  for (std::vector<Axis>* role : {&axes.batch, &axes.m, &axes.n, &axes.k}) {
    std::ranges::stable_sort(*role, outer);
    fuse(*role);
  }
  return axes;
}

}  // namespace tt::kernels
