// The kernel sets, one per instruction set, and the choice between them at run time. ISA files
// include this header and the micro headers only: plain pointers, strides and counts, no std types,
// so that no inline function compiled with wide instructions is kept by the linker for everybody.
#pragma once

#include "kernels/gemm/micro/kernels.hpp"
#include "kernels/strided/micro/kernels.hpp"

namespace tt::kernels {

/// Everything that is compiled once per instruction set.
struct KernelTable {
  const char* name;  // "avx512", "avx2", "neon", "scalar"
  GemmKernels gemm;
  StridedKernels strided;
};

/// Each is defined by the ISA file of its name; a build has those of its target's architecture.
extern const KernelTable avx512_table, avx2_table, neon64_table, scalar_table;

/// The kernel set of that name; null or "auto" is the best this CPU has. Throws core::Error(usage)
/// for an unknown name or one that this CPU or build lacks; the message lists what there is.
const KernelTable& select_isa(const char* name);

/// Visits every set that this CPU supports, best first.
struct IsaList {
  const KernelTable* const* begin_;
  const KernelTable* const* end_;
  const KernelTable* const* begin() const { return begin_; }
  const KernelTable* const* end() const { return end_; }
};
IsaList supported_isas();

}  // namespace tt::kernels
