#include "kernels/gemm/packed.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "core/tensor/dtype.hpp"

namespace tt::kernels {
namespace {

using DepthOffsets = std::array<std::ptrdiff_t, max_depth>;
using RowOffsets = std::array<std::ptrdiff_t, max_block_rows>;

/// Fills one panel the way its offsets allow. Runs of k that are neighbours shorter than a vector
/// are not worth a transpose.
template <class R>
void pack_panel(const PackKernels<R>& pack, const TileKernels<R>& tiles, PackArgs<R> args,
                std::ptrdiff_t panel_step) {
  if (unit_run(args.row_offsets, args.count) == args.count) return pack.rows_unit(args);
  const std::ptrdiff_t depth = args.depth;
  for (std::ptrdiff_t k = 0; k < depth;) {
    const std::ptrdiff_t run = unit_run(args.k_offsets, depth - k);
    args.depth = run;
    if (2 * run >= tiles.lanes) {
      pack.depth_unit(args);
    } else {
      // All short runs together: up to the next k that begins a long one.
      while (k + args.depth < depth &&
             2 * unit_run(args.k_offsets + args.depth, depth - k - args.depth) < tiles.lanes)
        ++args.depth;
      pack.gather(args);
    }
    k += args.depth;
    args.k_offsets += args.depth;
    args.panel += args.depth * panel_step;
  }
}

/// Rows and columns of C that one tile writes.
struct TileTarget {
  const std::ptrdiff_t* rows;
  const std::ptrdiff_t* columns;
  bool rows_unit;
};

/// Runs a tile whose rows are scattered in C through a copy of it.
template <class T>
void scatter_tile(const TileKernels<Real<T>>& tiles, TileArgs<Real<T>> args, T* C,
                  const TileTarget& target) {
  constexpr std::ptrdiff_t most = 48 * 8;
  std::array<T, most> copy;
  std::array<std::ptrdiff_t, 8> columns;
  TT_CHECK_LE(tiles.mr * tiles.nr, most);
  for (int j = 0; j < args.n; ++j) {
    columns[static_cast<std::size_t>(j)] = j * tiles.mr;
    for (int i = 0; args.update->read && i < args.m; ++i)
      copy[static_cast<std::size_t>(j * tiles.mr + i)] = C[target.columns[j] + target.rows[i]];
  }
  args.c = reals(copy.data());
  args.c_columns = columns.data();
  tiles.tile(args);
  for (int j = 0; j < args.n; ++j)
    for (int i = 0; i < args.m; ++i)
      C[target.columns[j] + target.rows[i]] = copy[static_cast<std::size_t>(j * tiles.mr + i)];
}

}  // namespace

std::int64_t stage_count(const Blocking& b, std::int64_t len_y, std::int64_t depth) {
  return ((len_y + b.nc - 1) / b.nc) * ((depth + b.kc - 1) / b.kc);
}

Stage stage_at(const Blocking& b, std::int64_t len_y, std::int64_t k_first, std::int64_t k_end,
               std::int64_t index) {
  const std::int64_t k_blocks = (k_end - k_first + b.kc - 1) / b.kc;
  const std::int64_t j0 = index / k_blocks * b.nc;
  const std::int64_t k0 = k_first + index % k_blocks * b.kc;
  return {.j0 = j0,
          .columns = std::min(b.nc, len_y - j0),
          .k0 = k0,
          .depth = std::min(b.kc, k_end - k0),
          .first = k0 == k_first};
}

template <class T>
void pack_Y_panels(const OrientedProduct<T>& product, const Stage& stage, std::int64_t first,
                   std::int64_t last, T* packed_Y) {
  const auto& tiles = *product.tiles;
  const std::int64_t nr = tiles.nr;
  DepthOffsets k_offsets;
  product.fill_k(stage.k0, stage.depth, nullptr, k_offsets.data());
  std::array<std::ptrdiff_t, 8> rows;
  for (std::int64_t panel = first; panel < last; ++panel) {
    const std::int64_t j = panel * nr;
    const std::int64_t count = std::min(nr, stage.columns - j);
    fill_offsets(product.y, stage.j0 + j, count, rows.data(), nullptr);
    pack_panel(tiles.pack_Y, tiles,
               {.panel = reals(packed_Y + panel * nr * stage.depth),
                .from = reals(product.Y),
                .row_offsets = rows.data(),
                .count = static_cast<int>(count),
                .k_offsets = k_offsets.data(),
                .depth = stage.depth},
               nr * Element<T>::planes);
  }
}

namespace {

/// Packs rows whose offsets are given, panel by panel.
template <class T>
void pack_X_block(const OrientedProduct<T>& product, const Stage& stage, std::int64_t rows,
                  const std::ptrdiff_t* row_offsets, T* packed_X) {
  const auto& tiles = *product.tiles;
  const std::int64_t mr = tiles.mr;
  DepthOffsets k_offsets;
  product.fill_k(stage.k0, stage.depth, k_offsets.data(), nullptr);
  for (std::int64_t i = 0; i < rows; i += mr)
    pack_panel(tiles.pack_X, tiles,
               {.panel = reals(packed_X + i * stage.depth),
                .from = reals(product.X),
                .row_offsets = row_offsets + i,
                .count = static_cast<int>(std::min(mr, rows - i)),
                .k_offsets = k_offsets.data(),
                .depth = stage.depth},
               mr * Element<T>::planes);
}

}  // namespace

template <class T>
void multiply_block(const OrientedProduct<T>& product, const Stage& stage, std::int64_t i0,
                    std::int64_t rows, std::int64_t first, std::int64_t last, const T* packed_Y,
                    T* packed_X) {
  const auto& tiles = *product.tiles;
  const std::int64_t mr = tiles.mr, nr = tiles.nr;
  RowOffsets x_rows, c_rows;
  fill_offsets(product.x, i0, rows, x_rows.data(), c_rows.data());
  pack_X_block(product, stage, rows, x_rows.data(), packed_X);

  const TileUpdate<Real<T>> update = stage.first ? product.update : adding(product.update);
  std::array<std::ptrdiff_t, 8> c_columns;
  std::array<bool, max_block_rows> unit;
  for (std::int64_t i = 0; i < rows; i += mr) {
    const std::int64_t m = std::min(mr, rows - i);
    unit[static_cast<std::size_t>(i / mr)] = unit_run(&c_rows[static_cast<std::size_t>(i)], m) == m;
  }
  for (std::int64_t panel = first; panel < last; ++panel) {
    const std::int64_t j = panel * nr;
    const std::int64_t n = std::min(nr, stage.columns - j);
    fill_offsets(product.y, stage.j0 + j, n, nullptr, c_columns.data());
    for (std::int64_t i = 0; i < rows; i += mr) {
      const TileTarget target = {&c_rows[static_cast<std::size_t>(i)], c_columns.data(),
                                 unit[static_cast<std::size_t>(i / mr)]};
      TileArgs<Real<T>> args{};
      args.depth = stage.depth;
      args.x = reals(packed_X + i * stage.depth);
      args.y = reals(packed_Y + j * stage.depth);
      args.m = static_cast<int>(std::min(mr, rows - i));
      args.n = static_cast<int>(n);
      args.update = &update;
      if (target.rows_unit) {
        args.c = reals(product.C + target.rows[0]);
        args.c_columns = target.columns;
        tiles.tile(args);
      } else {
        scatter_tile(tiles, args, product.C, target);
      }
    }
  }
}

template <class T>
void serial_product(const OrientedProduct<T>& product, std::int64_t k_first, std::int64_t k_end,
                    const Blocking& blocking, std::byte* scratch) {
  T* packed_Y = reinterpret_cast<T*>(scratch);
  T* packed_X = reinterpret_cast<T*>(scratch + blocking.y_bytes);
  const std::int64_t stages = stage_count(blocking, product.len_y, k_end - k_first);
  for (std::int64_t s = 0; s < stages; ++s) {
    const Stage stage = stage_at(blocking, product.len_y, k_first, k_end, s);
    const std::int64_t panels = (stage.columns + product.tiles->nr - 1) / product.tiles->nr;
    pack_Y_panels(product, stage, 0, panels, packed_Y);
    for (std::int64_t i = 0; i < product.len_x; i += blocking.mc)
      multiply_block(product, stage, i, std::min(blocking.mc, product.len_x - i), 0, panels,
                     packed_Y, packed_X);
  }
}

#define TT_INSTANTIATE(T)                                                                  \
  template void pack_Y_panels<T>(const OrientedProduct<T>&, const Stage&, std::int64_t,    \
                                 std::int64_t, T*);                                        \
  template void multiply_block<T>(const OrientedProduct<T>&, const Stage&, std::int64_t,   \
                                  std::int64_t, std::int64_t, std::int64_t, const T*, T*); \
  template void serial_product<T>(const OrientedProduct<T>&, std::int64_t, std::int64_t,   \
                                  const Blocking&, std::byte*);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
