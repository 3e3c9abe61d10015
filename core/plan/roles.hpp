// What kind of step a pair is, and what it costs, from the products of its role extents. The search
// for an order and the finished plan both ask here, so that they cannot disagree.
#pragma once

#include <cstdint>

#include "core/cost/host_class.hpp"

namespace tt::core {

/// What a step is in shape; it decides the kernel, the family and the unit of its gate.
enum class StepClass : std::uint8_t { gemm, batched, matvec, outer, elementwise, reduce, copy };

/// Products of extents by role. batch: in A, B and C. m: in A and C. n: in B and C. k: in A and B,
/// not in C. "bij,bjk->bik" has batch = |b|, m = |i|, n = |k|, k = |j|. Floating point: products of
/// many extents pass 2^64.
struct RoleSizes {
  double batch = 1, m = 1, n = 1, k = 1;

  double a() const { return batch * m * k; }
  double b() const { return batch * k * n; }
  double c() const { return batch * m * n; }
  double multiply_adds() const { return batch * m * n * k; }
};

/// gemm and batched have m, n and k; matvec lacks m or n; without k (an outer product) it is outer
/// with m and n, else elementwise. An extent of 0 counts as there: an empty sum is still a sum.
StepClass pair_class(const RoleSizes& roles);

/// The family whose rate a class is estimated by.
Family family_of(StepClass step_class);

/// Units of that family: gemm and batched multiply-adds, matvec elements of the matrix, outer and
/// elementwise elements of the result.
double pair_units(StepClass step_class, const RoleSizes& roles);

/// Floating-point operations: 1 per addition or real product, 6 per complex product, 2 per complex
/// addition. A pair without k has no additions.
double pair_flops(const RoleSizes& roles, DType dtype);
double addition_flops(DType dtype);
double product_flops(DType dtype);

}  // namespace tt::core
