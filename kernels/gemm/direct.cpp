#include "kernels/gemm/direct.hpp"

#include <algorithm>
#include <array>

#include "core/tensor/dtype.hpp"
#include "kernels/gemm/blocking.hpp"

namespace tt::kernels {
namespace {

constexpr int most_rows = 48, most_columns = 8;

PairAxis only_axis(std::span<const PairAxis> axes) {
  return axes.empty() ? PairAxis{1, 1, 1} : axes[0];
}

/// Packs `m` rows of X that begin at `from`; strides as in memory.
template <class T>
void pack_panel(const OrientedProduct<T>& product, const T* from, std::ptrdiff_t stride,
                std::ptrdiff_t stride_k, int m, T* panel) {
  std::array<std::ptrdiff_t, most_rows> rows;
  std::array<std::ptrdiff_t, max_depth> k_offsets;
  for (int i = 0; i < m; ++i) rows[static_cast<std::size_t>(i)] = i * stride;
  for (std::int64_t k = 0; k < product.depth; ++k)
    k_offsets[static_cast<std::size_t>(k)] = k * stride_k;
  const auto& pack = product.tiles->pack_X;
  const PackArgs<Real<T>> args = {.panel = reals(panel),
                                  .from = reals(from),
                                  .row_offsets = rows.data(),
                                  .count = m,
                                  .k_offsets = k_offsets.data(),
                                  .depth = product.depth};
  if (stride == 1) {
    pack.rows_unit(args);
  } else if (stride_k == 1) {
    pack.depth_unit(args);
  } else {
    pack.gather(args);
  }
}

/// A tile whose rows do not touch in C, through a copy of it.
template <class T>
void strided_tile(const TileKernels<Real<T>>& tiles, TileArgs<Real<T>> args, T* C,
                  std::ptrdiff_t stride, std::ptrdiff_t column_stride) {
  std::array<T, most_rows * most_columns> copy;
  std::array<std::ptrdiff_t, most_columns> columns;
  for (int j = 0; j < args.n; ++j) {
    columns[static_cast<std::size_t>(j)] = j * tiles.mr;
    for (int i = 0; args.update->read && i < args.m; ++i)
      copy[static_cast<std::size_t>(j * tiles.mr + i)] = C[i * stride + j * column_stride];
  }
  args.c = reals(copy.data());
  args.c_columns = columns.data();
  tiles.tile_direct(args);
  for (int j = 0; j < args.n; ++j)
    for (int i = 0; i < args.m; ++i)
      C[i * stride + j * column_stride] = copy[static_cast<std::size_t>(j * tiles.mr + i)];
}

/// Whether X is read where it lies. Rows a multiple of a page apart share a few lines of the
/// first-level cache: then a panel that is read more than once is packed (measured: 91 against 77
/// Gflop/s at 64^3 with a leading dimension of 2048).
template <class T>
bool reads_X_in_place(const OrientedProduct<T>& product, std::ptrdiff_t stride,
                      std::ptrdiff_t stride_k) {
  constexpr std::ptrdiff_t page = 4096;
  const bool collides = stride_k * static_cast<std::ptrdiff_t>(sizeof(T)) % page == 0;
  return Element<T>::planes == 1 && stride == 1 &&
         (product.len_y <= product.tiles->nr || !collides);
}

/// The product over at most kc depths; each element of X goes through registers once for every nr
/// of Y.
template <class T>
void direct_block(const OrientedProduct<T>& product, std::byte* scratch) {
  const auto& tiles = *product.tiles;
  const PairAxis x = only_axis(product.x), y = only_axis(product.y), k = only_axis(product.k);
  const std::ptrdiff_t X_stride_k = product.swapped ? k.stride_Y : k.stride_X;
  const std::ptrdiff_t Y_stride_k = product.swapped ? k.stride_X : k.stride_Y;
  const bool in_place = reads_X_in_place(product, x.stride_X, X_stride_k);
  T* panel = reinterpret_cast<T*>(scratch);

  std::array<std::ptrdiff_t, most_columns> c_columns;
  for (int j = 0; j < tiles.nr; ++j) c_columns[static_cast<std::size_t>(j)] = j * y.stride_Y;
  TileArgs<Real<T>> args{};
  args.depth = product.depth;
  args.x_stride_k = in_place ? X_stride_k : tiles.mr;
  args.y_stride_n = y.stride_X;
  args.y_stride_k = Y_stride_k;
  args.c_columns = c_columns.data();
  args.update = &product.update;

  // Equal tiles in whole vectors: 4 vectors are 2 and 2, not 3 and 1.
  const std::int64_t vectors = (product.len_x + tiles.lanes - 1) / tiles.lanes;
  const std::int64_t vectors_a_tile = tiles.mr / tiles.lanes;
  std::int64_t tiles_left = (vectors + vectors_a_tile - 1) / vectors_a_tile;
  std::int64_t vectors_left = vectors;
  for (std::int64_t i = 0; i < product.len_x; --tiles_left) {
    const std::int64_t now = (vectors_left + tiles_left - 1) / tiles_left;
    args.m = static_cast<int>(std::min(now * tiles.lanes, product.len_x - i));
    const T* X = product.X + i * x.stride_X;
    if (!in_place) pack_panel(product, X, x.stride_X, X_stride_k, args.m, panel);
    args.x = reals(in_place ? X : panel);
    for (std::int64_t j = 0; j < product.len_y; j += tiles.nr) {
      args.n = static_cast<int>(std::min<std::int64_t>(tiles.nr, product.len_y - j));
      args.y = reals(product.Y + j * y.stride_X);
      T* C = product.C + i * x.stride_Y + j * y.stride_Y;
      args.c = reals(C);
      if (x.stride_Y == 1) {
        tiles.tile_direct(args);
      } else {
        strided_tile(tiles, args, C, x.stride_Y, y.stride_Y);
      }
    }
    vectors_left -= now;
    i += args.m;
  }
}

}  // namespace

template <class T>
bool can_run_direct(const OrientedProduct<T>& product) {
  const auto& tiles = *product.tiles;
  if (!tiles.tile_direct || product.x.size() > 1 || product.y.size() > 1 || product.k.size() > 1)
    return false;
  const bool thin = product.len_x <= tiles.mr || product.len_y <= tiles.nr;
  return thin || fits_small_path({product.len_x, product.len_y, product.depth},
                                 {tiles.mr, tiles.nr, tiles.kc, sizeof(T)});
}

template <class T>
void direct_product(const OrientedProduct<T>& product, std::int64_t k_first, std::int64_t k_end,
                    std::byte* scratch) {
  const PairAxis k = only_axis(product.k);
  for (std::int64_t k0 = k_first; k0 < k_end; k0 += product.tiles->kc) {
    OrientedProduct<T> block = product;
    block.X += k0 * (product.swapped ? k.stride_Y : k.stride_X);
    block.Y += k0 * (product.swapped ? k.stride_X : k.stride_Y);
    block.depth = std::min<std::int64_t>(product.tiles->kc, k_end - k0);
    if (k0 != k_first) block.update = adding(product.update);
    direct_block(block, scratch);
  }
}

template <class T>
DirectCut cut_direct(const OrientedProduct<T>& product, int width) {
  const std::int64_t tiles_x = (product.len_x + product.tiles->mr - 1) / product.tiles->mr;
  const std::int64_t tiles_y = (product.len_y + product.tiles->nr - 1) / product.tiles->nr;
  const std::int64_t tiles = std::max(tiles_x, tiles_y);
  // Two parts a member balance; more would pack X more often than needed.
  const std::int64_t wanted = width > 1 ? std::min<std::int64_t>(tiles, 2 * width) : 1;
  const std::int64_t tiles_of_part = (tiles + wanted - 1) / wanted;
  return {.along_x = tiles_x > tiles_y,
          .parts = (tiles + tiles_of_part - 1) / tiles_of_part,
          .step = tiles_of_part * (tiles_x > tiles_y ? product.tiles->mr : product.tiles->nr)};
}

template <class T>
OrientedProduct<T> part_of(const OrientedProduct<T>& product, const DirectCut& cut,
                           std::int64_t part) {
  OrientedProduct<T> one = product;
  const PairAxis axis = only_axis(cut.along_x ? product.x : product.y);
  const std::int64_t first = part * cut.step;
  std::int64_t& length = cut.along_x ? one.len_x : one.len_y;
  length = std::min(cut.step, length - first);
  (cut.along_x ? one.X : one.Y) += first * axis.stride_X;
  one.C += first * axis.stride_Y;
  return one;
}

#define TT_INSTANTIATE(T)                                                                \
  template bool can_run_direct<T>(const OrientedProduct<T>&);                            \
  template void direct_product<T>(const OrientedProduct<T>&, std::int64_t, std::int64_t, \
                                  std::byte*);                                           \
  template DirectCut cut_direct<T>(const OrientedProduct<T>&, int);                      \
  template OrientedProduct<T> part_of<T>(const OrientedProduct<T>&, const DirectCut&, std::int64_t);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
