// The entry points of the register tile and of packing, one set per instruction set. Plain
// pointers: a complex element is two reals R, real part first. Strides and offsets count elements.
//
// The two operands of a tile are X, whose index runs along the vector lanes, and Y, whose elements
// are broadcast. Which of A and B is X is the caller's choice and never shows in the result: a real
// element is one chain of fused multiply-adds over k, a complex one four chains (rr, ii, ri, ir)
// joined at the end, and both are symmetric in X and Y.
//
// A packed panel holds, for each k, `rows` real parts and then (complex) `rows` imaginary parts,
// rows being mr for X and nr for Y; rows beyond the edge are zeros.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tt::kernels {

/// What a tile does with its sums: C = alpha * sums, plus beta * C when `read`. The imaginary parts
/// and the conjugations are for complex elements.
template <class R>
struct TileUpdate {
  R alpha[2];
  R beta[2];
  bool read;
  bool conj_X, conj_Y;
};

/// C[0:m, 0:n] of one tile: row i of column j lies at c + c_columns[j] + i (elements).
template <class R>
struct TileArgs {
  std::ptrdiff_t depth;
  const R* x;
  const R* y;
  // Not used by the packed tile, whose panels have fixed strides.
  std::ptrdiff_t x_stride_k, y_stride_n, y_stride_k;
  R* c;
  const std::ptrdiff_t* c_columns;
  int m, n;
  const TileUpdate<R>* update;
};

/// One panel to be filled: element (row, k) lies at from + row_offsets[row] + k_offsets[k].
template <class R>
struct PackArgs {
  R* panel;
  const R* from;
  const std::ptrdiff_t* row_offsets;
  int count;  // rows that exist, at most the panel's
  const std::ptrdiff_t* k_offsets;
  std::ptrdiff_t depth;
};

/// The ways to fill a panel: rows are neighbours in memory, k are neighbours, or neither.
template <class R>
struct PackKernels {
  void (*rows_unit)(const PackArgs<R>&);
  void (*depth_unit)(const PackArgs<R>&);
  void (*gather)(const PackArgs<R>&);
};

template <class R>
struct TileKernels {
  int mr, nr;  // the register tile, elements
  int kc;      // the depth of a block: fixed, for it decides the bits
  int lanes;   // elements of R in a vector
  void (*tile)(const TileArgs<R>&);
  /// Y as it lies in memory; X with any stride over k: as it lies (real, rows neighbours) or packed
  /// (x_stride_k is the panel's then). m at most mr, n at most nr. Null for integers.
  void (*tile_direct)(const TileArgs<R>&);
  PackKernels<R> pack_X, pack_Y;
};

struct GemmKernels {
  TileKernels<float> f32;
  TileKernels<double> f64;
  TileKernels<float> c64;
  TileKernels<double> c128;
  TileKernels<std::int64_t> i64;  // wraps: the caller proves that nothing overflows
};

}  // namespace tt::kernels
