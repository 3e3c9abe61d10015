// The register tiles, written once over Vec<Arch, R>: real (and integer) and complex. Sums stay in
// registers for the whole depth of a block; the edge of C is left to masks.
#pragma once

#include "kernels/gemm/micro/kernels.hpp"
#include "kernels/isa/vector.hpp"

namespace tt::kernels {

/// Register tile of a real type: 3 vectors by 8 columns of 32 registers, by 4 of 16.
template <class Arch, class R>
struct RealShape {
  static constexpr int vectors = 3;
  static constexpr int mr = vectors * Vec<Arch, R>::width;
  static constexpr int nr = Arch::registers == 32 ? 8 : 4;
};

/// Register tile of a complex type: four sums an element, so 1 vector by 6 columns, or by 3.
template <class Arch, class R>
struct ComplexShape {
  static constexpr int vectors = 1;
  static constexpr int mr = Vec<Arch, R>::width;
  static constexpr int nr = Arch::registers == 32 ? 6 : 3;
};

enum class TileSource { packed, direct };

/// The first `count` lanes; of a packed panel all of them, for its edge is zeros.
template <class Arch, class R>
typename Vec<Arch, R>::Reg load_edge(const R* from, int count) {
  using V = Vec<Arch, R>;
  if constexpr (Arch::cheap_masks) {
    return Arch::load_first(from, count, typename V::Reg{});
  } else {
    return V::load_first(from, count);
  }
}

template <class Arch, class R, int vectors, int columns>
[[gnu::always_inline]] inline void update_real(
    const TileArgs<R>& t, typename Vec<Arch, R>::Reg (&sums)[columns][vectors]) {
  using V = Vec<Arch, R>;
  const auto alpha = V::broadcast(t.update->alpha[0]);
  const auto beta = V::broadcast(t.update->beta[0]);
  const bool read = t.update->read;
  const int edge = t.m - (vectors - 1) * V::width;
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j) {
    if (j >= t.n) break;
    R* c = t.c + t.c_columns[j];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      const int count = v + 1 < vectors ? V::width : edge;
      R* to = c + v * V::width;
      auto value = V::multiply(alpha, sums[j][v]);
      if (read) value = V::fma(alpha, sums[j][v], V::multiply(beta, V::load_first(to, count)));
      V::store_first(to, value, count);
    }
  }
}

/// sums[j][v] += x[v] * y[j] over the depth. `vectors` covers m, `columns` is at least n.
template <class Arch, class R, int vectors, int columns, TileSource source>
void real_tile(const TileArgs<R>& t) {
  using V = Vec<Arch, R>;
  using Shape = RealShape<Arch, R>;
  constexpr bool packed = source == TileSource::packed;
  const std::ptrdiff_t x_stride_k = packed ? Shape::mr : t.x_stride_k;
  const std::ptrdiff_t y_stride_k = packed ? Shape::nr : t.y_stride_k;
  const std::ptrdiff_t y_stride_n = packed ? 1 : t.y_stride_n;
  const int edge = t.m - (vectors - 1) * V::width;
  const R* x = t.x;
  const R* y = t.y;
  typename V::Reg sums[columns][vectors] = {};
  if constexpr (packed) {
    // The whole column: its lines are far apart from those of the tile before.
    for (int j = 0; j < t.n; ++j)
      for (int v = 0; v < vectors; ++v)
        __builtin_prefetch(t.c + t.c_columns[j] + v * V::width, 1);
  }
  // Measured on a Zen 5, float32 from 512^3 up: 1 to 2 percent.
#pragma GCC unroll 4
  for (std::ptrdiff_t k = 0; k < t.depth; ++k) {
    typename V::Reg x_now[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
      if (packed || v + 1 < vectors) {
        x_now[v] = V::load(x + v * V::width);
      } else {
        x_now[v] = load_edge<Arch, R>(x + v * V::width, edge);
      }
    }
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
      const auto y_now = V::broadcast(y[j * y_stride_n]);
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) sums[j][v] = V::fma(x_now[v], y_now, sums[j][v]);
    }
    x += x_stride_k;
    y += y_stride_k;
  }
  update_real<Arch, R, vectors, columns>(t, sums);
}

/// A complex value in two vectors.
template <class Arch, class R>
struct ComplexReg {
  typename Vec<Arch, R>::Reg re, im;
};

/// factor * value; a real factor multiplies the parts, so that 1 * (inf + 0i) stays what it is.
template <class Arch, class R>
[[gnu::always_inline]] inline ComplexReg<Arch, R> scale_complex(const R (&factor)[2],
                                                                ComplexReg<Arch, R> value) {
  using V = Vec<Arch, R>;
  const auto re = V::broadcast(factor[0]);
  const auto im = V::broadcast(factor[1]);
  if (factor[1] == R(0)) return {V::multiply(re, value.re), V::multiply(re, value.im)};
  return {V::fnma(im, value.im, V::multiply(re, value.re)),
          V::fma(im, value.re, V::multiply(re, value.im))};
}

template <class Arch, class R, int columns>
[[gnu::always_inline]] inline void update_complex(const TileArgs<R>& t,
                                                  typename Vec<Arch, R>::Reg (&rr)[columns],
                                                  typename Vec<Arch, R>::Reg (&ii)[columns],
                                                  typename Vec<Arch, R>::Reg (&ri)[columns],
                                                  typename Vec<Arch, R>::Reg (&ir)[columns]) {
  using V = Vec<Arch, R>;
  const TileUpdate<R>& update = *t.update;
  // A conjugation flips the sign of whole chains, which is exact: packing need not know.
  const auto sign_X = V::broadcast(update.conj_X ? R(-1) : R(1));
  const auto sign_Y = V::broadcast(update.conj_Y ? R(-1) : R(1));
  const auto sign_XY = V::multiply(sign_X, sign_Y);
  const int low_count = 2 * t.m < V::width ? 2 * t.m : V::width;
  const int high_count = 2 * t.m - low_count;
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j) {
    if (j >= t.n) break;
    R* c = t.c + 2 * t.c_columns[j];
    ComplexReg<Arch, R> value = {V::fnma(sign_XY, ii[j], rr[j]),
                                 V::fma(sign_X, ir[j], V::multiply(sign_Y, ri[j]))};
    value = scale_complex<Arch, R>(update.alpha, value);
    typename V::Reg low, high;
    if (update.read) {
      low = V::load_first(c, low_count);
      high = high_count > 0 ? V::load_first(c + V::width, high_count) : V::zero();
      ComplexReg<Arch, R> old;
      V::deinterleave(low, high, old.re, old.im);
      old = scale_complex<Arch, R>(update.beta, old);
      value.re = value.re + old.re;
      value.im = value.im + old.im;
    }
    V::interleave(value.re, value.im, low, high);
    V::store_first(c, low, low_count);
    if (high_count > 0) V::store_first(c + V::width, high, high_count);
  }
}

/// Four chains an element: rr += xr yr, ii += xi yi, ri += xr yi, ir += xi yr.
template <class Arch, class R, int columns, TileSource source>
void complex_tile(const TileArgs<R>& t) {
  using V = Vec<Arch, R>;
  using Shape = ComplexShape<Arch, R>;
  constexpr bool packed = source == TileSource::packed;
  const std::ptrdiff_t y_stride_k = packed ? 2 * Shape::nr : 2 * t.y_stride_k;
  const std::ptrdiff_t y_stride_n = packed ? 1 : 2 * t.y_stride_n;
  constexpr std::ptrdiff_t y_imaginary = packed ? Shape::nr : 1;
  const R* x = t.x;
  const R* y = t.y;
  typename V::Reg rr[columns] = {}, ii[columns] = {}, ri[columns] = {}, ir[columns] = {};
  for (std::ptrdiff_t k = 0; k < t.depth; ++k) {
    const auto xr = V::load(x);
    const auto xi = V::load(x + Shape::mr);
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
      const auto yr = V::broadcast(y[j * y_stride_n]);
      const auto yi = V::broadcast(y[j * y_stride_n + y_imaginary]);
      rr[j] = V::fma(xr, yr, rr[j]);
      ii[j] = V::fma(xi, yi, ii[j]);
      ri[j] = V::fma(xr, yi, ri[j]);
      ir[j] = V::fma(xi, yr, ir[j]);
    }
    x += 2 * Shape::mr;
    y += y_stride_k;
  }
  update_complex<Arch, R, columns>(t, rr, ii, ri, ir);
}

}  // namespace tt::kernels
