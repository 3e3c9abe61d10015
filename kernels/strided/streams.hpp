// The two families under stream(): sums, and element by element maps. Neither is called with an
// extent of 0 among the outputs.
#pragma once

#include "kernels/isa/element.hpp"
#include "kernels/strided/strided.hpp"

namespace tt::kernels {

inline const StreamKernels<float>& streams_of(const StridedKernels& k, float) {
  return k.f32;
}
inline const StreamKernels<double>& streams_of(const StridedKernels& k, double) {
  return k.f64;
}
inline const StreamKernels<float>& streams_of(const StridedKernels& k, std::complex<float>) {
  return k.c64;
}
inline const StreamKernels<double>& streams_of(const StridedKernels& k, std::complex<double>) {
  return k.c128;
}
inline const StreamKernels<std::int64_t>& streams_of(const StridedKernels& k, std::int64_t) {
  return k.i64;
}

/// With `in` axes. A sum is a tree of leaves of fixed length, added by pairs: its error grows with
/// the logarithm of the number of leaves, and its bits depend on the order of `in` and on the
/// strides (whether A's terms are neighbours), not on who runs or on what else is summed.
template <class T>
bool sum_stream(const core::Exec& exec, const core::Decision& decision, const KernelTable& isa,
                const Stream<T>& s);

/// Without `in` axes.
template <class T>
bool map_stream(const core::Exec& exec, const core::Decision& decision, const KernelTable& isa,
                const Stream<T>& s);

}  // namespace tt::kernels
