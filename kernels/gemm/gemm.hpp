// The matrix product under contraction, factorizations and batches: blocked loops around the
// register tile, packing straight from strided and scattered operands (no transposed copy). The
// path (packed, small, deep) is chosen from the whole problem before it is cut, so bits never
// depend on who runs.
#pragma once

#include <cstdint>
#include <span>

#include "core/team/exec.hpp"
#include "kernels/gemm/index.hpp"
#include "kernels/isa/table.hpp"

namespace tt::kernels {

/// C[m,n] = alpha * sum_k op(A)[m,k] op(B)[k,n] + beta * C[m,n], op is the identity or conjugation;
/// beta == 0 reads no value of C. C must not overlap A or B, and no two (m,n) share an element of
/// C. T is float, double, std::complex of both, or std::int64_t.
template <class T>
struct Product {
  const T* A = nullptr;
  const T* B = nullptr;
  T* C = nullptr;
  std::span<const PairAxis> m;  // X is A, Y is C
  std::span<const PairAxis> n;  // X is B, Y is C
  std::span<const PairAxis> k;  // X is A, Y is B
  std::span<const BatchAxis> batch;
  bool conj_A = false, conj_B = false;
  T alpha = T(1), beta = T(0);
};

/// Runs the product on the members of `decision` (made by the caller: one gate per region). For
/// int64: exact, or false when an element of the result does not fit; then C is unspecified. Else
/// true. In a dry run nothing is read, taken or written. Throws core::Error(memory).
template <class T>
bool gemm(const core::Exec& exec, const core::Decision& decision, const KernelTable& isa,
          const Product<T>& product);

/// Scratch (pack buffers, partial sums) that gemm takes for these sizes on `members` members, in
/// bytes; at most 64 MiB.
std::uint64_t gemm_scratch_bytes(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch,
                                 core::DType dtype, const KernelTable& isa, int members);

}  // namespace tt::kernels
