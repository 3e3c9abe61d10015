#include "kernels/gemm/oriented.hpp"

#include <type_traits>

#include "core/tensor/dtype.hpp"

namespace tt::kernels {
namespace {

/// One of the two free indices: how long, and whether neighbours touch in its operand and in C.
struct FreeIndex {
  std::int64_t length;
  bool unit_in_operand, unit_in_C;
};

FreeIndex free_index(std::span<const PairAxis> axes) {
  if (axes.empty()) return {1, false, false};
  return {index_length(axes), axes.back().stride_X == 1, axes.back().stride_Y == 1};
}

/// Thin products read the long operand once, so it should not be packed: it lies along the lanes
/// where its rows touch, else it is broadcast, as long as the short side fills a quarter of a
/// vector.
bool thin_lanes_along_long(const FreeIndex& longer, const FreeIndex& shorter, int lanes) {
  return longer.unit_in_operand || 4 * shorter.length < lanes;
}

/// Whether B should lie along the lanes: the index whose neighbours touch in C does, unless it is
/// too short for a vector.
template <class R>
bool lanes_along_n(const FreeIndex& m, const FreeIndex& n, const TileKernels<R>& tiles,
                   bool is_real) {
  const FreeIndex& longer = n.length > m.length ? n : m;
  const FreeIndex& shorter = n.length > m.length ? m : n;
  if (is_real && shorter.length <= tiles.nr && longer.length > tiles.mr)
    return thin_lanes_along_long(longer, shorter, tiles.lanes) == (&longer == &n);
  if (n.unit_in_C != m.unit_in_C) {
    const FreeIndex& along = n.unit_in_C ? n : m;
    const bool too_short = along.length < tiles.lanes && along.length == shorter.length;
    return n.unit_in_C != too_short;
  }
  return n.length >= m.length;
}

}  // namespace

template <class T>
OrientedProduct<T> orient(const Product<T>& p, const KernelTable& isa) {
  OrientedProduct<T> o;
  o.tiles = &tiles_of(isa.gemm, T{});
  const FreeIndex m = free_index(p.m), n = free_index(p.n);
  o.swapped = lanes_along_n(m, n, *o.tiles, Element<T>::planes == 1);
  o.X = o.swapped ? p.B : p.A;
  o.Y = o.swapped ? p.A : p.B;
  o.C = p.C;
  o.x = o.swapped ? p.n : p.m;
  o.y = o.swapped ? p.m : p.n;
  o.k = p.k;
  o.len_x = o.swapped ? n.length : m.length;
  o.len_y = o.swapped ? m.length : n.length;
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
