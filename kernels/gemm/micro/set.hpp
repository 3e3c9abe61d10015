// The table entries of one instruction set: which instance of the tile and of packing runs for
// which type and edge.
#pragma once

#include "kernels/gemm/micro/kernels.hpp"
#include "kernels/gemm/micro/pack.hpp"
#include "kernels/gemm/micro/tile.hpp"
#include "kernels/isa/vector.hpp"

namespace tt::kernels {

/// Packed panels: `vectors` is what m needs, columns all or (where they suffice) half of nr.
template <class Arch, class R>
void real_tile_packed(const TileArgs<R>& t) {
  using Shape = RealShape<Arch, R>;
  constexpr int half = Shape::nr / 2;
  using Tile = void (*)(const TileArgs<R>&);
  static constexpr Tile tiles[Shape::vectors][2] = {
      {real_tile<Arch, R, 1, half, TileSource::packed>,
       real_tile<Arch, R, 1, Shape::nr, TileSource::packed>},
      {real_tile<Arch, R, 2, half, TileSource::packed>,
       real_tile<Arch, R, 2, Shape::nr, TileSource::packed>},
      {real_tile<Arch, R, 3, half, TileSource::packed>,
       real_tile<Arch, R, 3, Shape::nr, TileSource::packed>}};
  tiles[(t.m - 1) / Vec<Arch, R>::width][t.n > half](t);
}

/// Direct operands: an instance for every number of columns, for nothing beyond the edge may be
/// read.
template <class Arch, class R, int vectors, int... column>
void real_tile_columns(const TileArgs<R>& t, Lanes<column...>) {
  using Tile = void (*)(const TileArgs<R>&);
  static constexpr Tile tiles[] = {real_tile<Arch, R, vectors, column + 1, TileSource::direct>...};
  tiles[t.n - 1](t);
}

template <class Arch, class R>
void real_tile_direct(const TileArgs<R>& t) {
  using Columns = Lanes<__integer_pack(RealShape<Arch, R>::nr)...>;
  const int vectors = (t.m - 1) / Vec<Arch, R>::width + 1;
  if (vectors == 1) return real_tile_columns<Arch, R, 1>(t, Columns{});
  if (vectors == 2) return real_tile_columns<Arch, R, 2>(t, Columns{});
  real_tile_columns<Arch, R, 3>(t, Columns{});
}

template <class Arch, class R, int... column>
void complex_tile_columns(const TileArgs<R>& t, Lanes<column...>) {
  using Tile = void (*)(const TileArgs<R>&);
  static constexpr Tile tiles[] = {complex_tile<Arch, R, column + 1, TileSource::direct>...};
  tiles[t.n - 1](t);
}

template <class Arch, class R>
void complex_tile_direct(const TileArgs<R>& t) {
  complex_tile_columns<Arch, R>(t, Lanes<__integer_pack(ComplexShape<Arch, R>::nr)...>{});
}

template <class Arch, class R>
void complex_tile_packed(const TileArgs<R>& t) {
  using Shape = ComplexShape<Arch, R>;
  constexpr int half = (Shape::nr + 1) / 2;
  if (t.n <= half) return complex_tile<Arch, R, half, TileSource::packed>(t);
  complex_tile<Arch, R, Shape::nr, TileSource::packed>(t);
}

template <class Arch, class R, int rows, int planes>
constexpr PackKernels<R> pack_kernels() {
  return {pack_rows_unit<Arch, R, rows, planes>, pack_depth_unit<Arch, R, rows, planes>,
          pack_gather<Arch, R, rows, planes>};
}

template <class Arch, class R>
constexpr TileKernels<R> real_kernels(int kc) {
  using Shape = RealShape<Arch, R>;
  return {.mr = Shape::mr,
          .nr = Shape::nr,
          .kc = kc,
          .lanes = Vec<Arch, R>::width,
          .tile = real_tile_packed<Arch, R>,
          .tile_direct = real_tile_direct<Arch, R>,
          .pack_X = pack_kernels<Arch, R, Shape::mr, 1>(),
          .pack_Y = pack_kernels<Arch, R, Shape::nr, 1>()};
}

template <class Arch, class R>
constexpr TileKernels<R> complex_kernels(int kc) {
  using Shape = ComplexShape<Arch, R>;
  return {.mr = Shape::mr,
          .nr = Shape::nr,
          .kc = kc,
          .lanes = Vec<Arch, R>::width,
          .tile = complex_tile_packed<Arch, R>,
          .tile_direct = complex_tile_direct<Arch, R>,
          .pack_X = pack_kernels<Arch, R, Shape::mr, 2>(),
          .pack_Y = pack_kernels<Arch, R, Shape::nr, 2>()};
}

template <class Arch>
constexpr TileKernels<std::int64_t> integer_kernels(int kc) {
  using Shape = RealShape<Arch, std::int64_t>;
  return {.mr = Shape::mr,
          .nr = Shape::nr,
          .kc = kc,
          .lanes = Vec<Arch, std::int64_t>::width,
          .tile = real_tile_packed<Arch, std::int64_t>,
          .tile_direct = nullptr,
          .pack_X = pack_kernels<Arch, std::int64_t, Shape::mr, 1>(),
          .pack_Y = pack_kernels<Arch, std::int64_t, Shape::nr, 1>()};
}

/// Depth of a block: a panel of Y stays in the first-level cache, a block of X in the second.
template <class Arch>
constexpr GemmKernels gemm_kernels() {
  return {.f32 = real_kernels<Arch, float>(512),
          .f64 = real_kernels<Arch, double>(256),
          .c64 = complex_kernels<Arch, float>(256),
          .c128 = complex_kernels<Arch, double>(192),
          .i64 = integer_kernels<Arch>(256)};
}

}  // namespace tt::kernels
