#include "kernels/gemm/oriented.hpp"

#include <type_traits>

#include "core/tensor/dtype.hpp"

namespace tt::kernels {
namespace {

bool contiguous_in_C(std::span<const PairAxis> axes) {
  return !axes.empty() && axes.back().stride_Y == 1;
}

/// Whether B should lie along the lanes.
bool lanes_along_n(std::span<const PairAxis> m, std::int64_t len_m, std::span<const PairAxis> n,
                   std::int64_t len_n, int lanes) {
  const bool n_unit = contiguous_in_C(n), m_unit = contiguous_in_C(m);
  if (n_unit != m_unit) {
    const std::int64_t along = n_unit ? len_n : len_m, across = n_unit ? len_m : len_n;
    const bool too_short = along < lanes && across > along;
    return n_unit != too_short;
  }
  return len_n >= len_m;
}

}  // namespace

template <class T>
OrientedProduct<T> orient(const Product<T>& p, const KernelTable& isa) {
  OrientedProduct<T> o;
  o.tiles = &tiles_of(isa.gemm, T{});
  const std::int64_t len_m = index_length(p.m), len_n = index_length(p.n);
  o.swapped = lanes_along_n(p.m, len_m, p.n, len_n, o.tiles->lanes);
  o.X = o.swapped ? p.B : p.A;
  o.Y = o.swapped ? p.A : p.B;
  o.C = p.C;
  o.x = o.swapped ? p.n : p.m;
  o.y = o.swapped ? p.m : p.n;
  o.k = p.k;
  o.len_x = o.swapped ? len_n : len_m;
  o.len_y = o.swapped ? len_m : len_n;
  o.depth = index_length(p.k);
  o.update.read = p.beta != T(0);
  o.update.conj_X = o.swapped ? p.conj_B : p.conj_A;
  o.update.conj_Y = o.swapped ? p.conj_A : p.conj_B;
  const Real<T>* alpha = reals(&p.alpha);
  const Real<T>* beta = reals(&p.beta);
  for (int i = 0; i < Element<T>::planes; ++i) {
    o.update.alpha[i] = alpha[i];
    o.update.beta[i] = beta[i];
  }
  return o;
}

#define TT_INSTANTIATE(T) \
  template OrientedProduct<T> orient<T>(const Product<T>&, const KernelTable&);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
