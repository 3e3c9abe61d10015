// Filling one packed panel (kernels.hpp says how it lies): rows that are neighbours by vector
// copies, k that are neighbours by transposing squares in registers, anything else element by
// element. Complex elements are split into planes on the way.
#pragma once

#include "kernels/gemm/micro/kernels.hpp"
#include "kernels/isa/vector.hpp"

namespace tt::kernels {

/// One panel column from `count` neighbours at `from`, zeros up to `rows`.
template <class Arch, class R, int rows, int planes>
[[gnu::always_inline]] inline void pack_neighbours(R* to, const R* from, int count) {
  using V = Vec<Arch, R>;
  constexpr bool whole_vectors = rows % V::width == 0;
  if constexpr (planes == 1 && (whole_vectors || Arch::cheap_masks)) {
#pragma GCC unroll 4
    for (int row = 0; row < rows; row += V::width) {
      const int left = count - row;
      const auto value = left > 0 ? V::load_first(from + row, left) : V::zero();
      V::store_first(to + row, value, rows - row);
    }
  } else if constexpr (planes == 2 && (whole_vectors || Arch::cheap_masks)) {
#pragma GCC unroll 4
    for (int row = 0; row < rows; row += V::width) {
      const int low = 2 * (count - row), high = low - V::width;
      typename V::Reg re = V::zero(), im = V::zero();
      const auto first = low > 0 ? V::load_first(from + 2 * row, low) : V::zero();
      const auto second = high > 0 ? V::load_first(from + 2 * row + V::width, high) : V::zero();
      V::deinterleave(first, second, re, im);
      V::store_first(to + row, re, rows - row);
      V::store_first(to + rows + row, im, rows - row);
    }
  } else {
    for (int row = 0; row < rows; ++row)
      for (int plane = 0; plane < planes; ++plane)
        to[plane * rows + row] = row < count ? from[planes * row + plane] : R(0);
  }
}

template <class Arch, class R, int rows, int planes>
void pack_rows_unit(const PackArgs<R>& p) {
  const R* from = p.from + planes * p.row_offsets[0];
  R* to = p.panel;
  if (p.count == rows) {  // the count as a constant: no masks
    for (std::ptrdiff_t k = 0; k < p.depth; ++k, to += planes * rows)
      pack_neighbours<Arch, R, rows, planes>(to, from + planes * p.k_offsets[k], rows);
  } else {
    for (std::ptrdiff_t k = 0; k < p.depth; ++k, to += planes * rows)
      pack_neighbours<Arch, R, rows, planes>(to, from + planes * p.k_offsets[k], p.count);
  }
}

/// Rows row0.. of `width` neighbours over k from p.from + offset: one transposed square a plane.
template <class Arch, class R, int rows, int planes>
[[gnu::always_inline]] inline void pack_square(const PackArgs<R>& p, int row0, std::ptrdiff_t k0,
                                               int k_count) {
  using V = Vec<Arch, R>;
  typename V::Reg square[planes][V::width];
#pragma GCC unroll 16
  for (int i = 0; i < V::width; ++i) {
    for (int plane = 0; plane < planes; ++plane) square[plane][i] = V::zero();
    if (row0 + i >= p.count) continue;
    const R* from = p.from + planes * (p.row_offsets[row0 + i] + p.k_offsets[0] + k0);
    if constexpr (planes == 1) {
      square[0][i] = V::load_first(from, k_count);
    } else {
      const int high = 2 * k_count - V::width;
      const auto first = V::load_first(from, 2 * k_count);
      const auto second = high > 0 ? V::load_first(from + V::width, high) : V::zero();
      V::deinterleave(first, second, square[0][i], square[1][i]);
    }
  }
  for (int plane = 0; plane < planes; ++plane) {
    V::transpose(square[plane]);
    R* to = p.panel + (k0 * planes + plane) * rows + row0;
    const int keep = rows - row0 < V::width ? rows - row0 : V::width;
    if (keep == V::width || Arch::cheap_masks) {
#pragma GCC unroll 16
      for (int i = 0; i < V::width; ++i)
        if (i < k_count) V::store_first(to + i * planes * rows, square[plane][i], keep);
    } else {
      for (int i = 0; i < k_count; ++i)
        for (int row = 0; row < keep; ++row) to[i * planes * rows + row] = square[plane][i][row];
    }
  }
}

/// The k of the panel are neighbours: k_offsets[0] is the first.
template <class Arch, class R, int rows, int planes>
void pack_depth_unit(const PackArgs<R>& p) {
  using V = Vec<Arch, R>;
  std::ptrdiff_t k = 0;
  for (; k + V::width <= p.depth; k += V::width)
    for (int row = 0; row < rows; row += V::width)
      pack_square<Arch, R, rows, planes>(p, row, k, V::width);
  if (k == p.depth) return;
  for (int row = 0; row < rows; row += V::width)
    pack_square<Arch, R, rows, planes>(p, row, k, static_cast<int>(p.depth - k));
}

template <class Arch, class R, int rows, int planes>
void pack_gather(const PackArgs<R>& p) {
  R* to = p.panel;
  for (std::ptrdiff_t k = 0; k < p.depth; ++k, to += planes * rows) {
    const R* from = p.from + planes * p.k_offsets[k];
    for (int plane = 0; plane < planes; ++plane) {
      for (int row = 0; row < p.count; ++row)
        to[plane * rows + row] = from[planes * p.row_offsets[row] + plane];
      for (int row = p.count; row < rows; ++row) to[plane * rows + row] = R(0);
    }
  }
}

}  // namespace tt::kernels
