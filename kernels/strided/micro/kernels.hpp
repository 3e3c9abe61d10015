// The entry points of the streaming kernels, one set per instruction set: sums along rows and
// across them, element by element products, transposition of tiles. Plain pointers: a complex
// element is two reals R, real part first. Strides, offsets and counts are in elements.
//
// A kernel returns false when int64 values are too large for its vectors (the caller then computes
// the same sums or products exactly, element by element); the others always return true.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tt::kernels {

/// sums[r] = sum over i < count of a[a_rows[r] + i] * b[b_rows[r] + i]; b null stands for 1. The
/// tree of a sum depends on count alone. For int64 sums[2r] + 2^32 * sums[2r + 1] is the sum, and
/// count at most 2^20.
template <class R>
struct RowSums {
  const R* a;
  const std::ptrdiff_t* a_rows;
  const R* b;
  const std::ptrdiff_t* b_rows;
  std::ptrdiff_t rows, count;
  bool conj_a, conj_b;
  R* sums;
};

/// sums[o] = sum over i < terms of a[a_terms[i] + o] * b[b_terms[i] + b_step * o], o < count, one
/// term after the other; b_step is 0 or 1, b null stands for 1. int64 as in RowSums.
template <class R>
struct ColumnSums {
  const R* a;
  const std::ptrdiff_t* a_terms;
  const R* b;
  const std::ptrdiff_t* b_terms;
  std::ptrdiff_t b_step;
  std::ptrdiff_t terms, count;
  bool conj_a, conj_b;
  R* sums;
};

/// c[r, i] = alpha * a[r, i] * b[r, b_step * i] + beta * c[r, i], i < count, for every row r; b
/// null stands for 1, c is read only when `read`. int64: alpha is 1 and beta is 0.
template <class R>
struct MapRows {
  R* c;
  const R* a;
  const R* b;
  std::ptrdiff_t c_row, a_row, b_row;  // strides from row to row
  std::ptrdiff_t b_step;
  std::ptrdiff_t rows, count;
  bool conj_a, conj_b, read;
  R alpha[2], beta[2];
};

/// to[j, i] = from[i, j] for i < rows, j < columns; neighbours in j of `from` and in i of `to` are
/// neighbours in memory.
template <class R>
struct TransposedTile {
  R* to;
  std::ptrdiff_t to_row;
  const R* from;
  std::ptrdiff_t from_row;
  std::ptrdiff_t rows, columns;
};

template <class R>
struct StreamKernels {
  bool (*sum_rows)(const RowSums<R>&);
  bool (*sum_columns)(const ColumnSums<R>&);
  bool (*map_rows)(const MapRows<R>&);
  void (*transpose)(const TransposedTile<R>&);
};

struct StridedKernels {
  StreamKernels<float> f32;
  StreamKernels<double> f64;
  StreamKernels<float> c64;
  StreamKernels<double> c128;
  StreamKernels<std::int64_t> i64;
};

}  // namespace tt::kernels
