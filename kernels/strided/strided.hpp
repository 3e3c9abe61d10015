// Streaming steps: sums of one tensor or of a product of two (reductions, matrix times vector,
// dot), and element by element products, outer products, copies and permutations. Any strides.
#pragma once

#include <cstdint>
#include <vector>

#include "core/team/exec.hpp"
#include "kernels/contract/axes.hpp"
#include "kernels/isa/table.hpp"

namespace tt::kernels {

/// C[out] = alpha * sum over `in` of op(A) op(B) + beta * C[out], where op is the identity or
/// conjugation and B == null stands for 1. beta == 0 reads no value of C. Without `in` axes it is
/// the element by element form. No two positions of `out` share an element of C; C does not overlap
/// A or B. The order of the lists is free, but that of `in` decides the bits.
template <class T>
struct Stream {
  const T* A = nullptr;
  const T* B = nullptr;
  T* C = nullptr;
  std::vector<Axis> out = {}, in = {};
  bool conj_A = false, conj_B = false;
  T alpha = T(1), beta = T(0);
};

/// Runs it on the members of `decision`. int64 is exact: false when an element of C cannot hold its
/// value (then C is unspecified), else true. In a dry run nothing is read or written. Throws
/// core::Error(memory).
template <class T>
bool stream(const core::Exec& exec, const core::Decision& decision, const KernelTable& isa,
            const Stream<T>& s);

/// Bytes that `stream` takes besides its operands for `outputs` sums of `terms` terms.
std::uint64_t stream_scratch_bytes(std::int64_t outputs, std::int64_t terms, core::DType dtype);

}  // namespace tt::kernels
