// Sums along rows (lanes are neighbours of one sum, folded at the end) and across them (lanes are
// sums, one term after the other). Tails go through the same vectors, filled with zeros.
#pragma once

#include "kernels/strided/micro/kernels.hpp"
#include "kernels/strided/micro/lanes.hpp"

namespace tt::kernels {

inline constexpr int row_chains = 4;     // additions in flight: their latency is 3 to 4 cycles
inline constexpr int strip_vectors = 8;  // sums that stay in registers across the terms

enum class Factor { none, one, each };

inline Factor factor_of(const void* b, std::ptrdiff_t b_step) {
  return !b ? Factor::none : b_step == 0 ? Factor::one : Factor::each;
}

/// The lanes of a vector that a tail of `left` reals has, at most all.
template <class Arch, class R>
int lanes_left(std::ptrdiff_t left) {
  return left < Vec<Arch, R>::width ? static_cast<int>(left) : Vec<Arch, R>::width;
}

template <class Arch, class R, bool product>
[[gnu::always_inline]] inline R real_row(const R* a, const R* b, std::ptrdiff_t count) {
  using V = Vec<Arch, R>;
  typename V::Reg sums[row_chains] = {};
  std::ptrdiff_t i = 0;
  for (; i + row_chains * V::width <= count; i += row_chains * V::width) {
#pragma GCC unroll 4
    for (int c = 0; c < row_chains; ++c) {
      const auto value = V::load(a + i + c * V::width);
      if constexpr (product) {
        sums[c] = V::fma(value, V::load(b + i + c * V::width), sums[c]);
      } else {
        sums[c] = sums[c] + value;
      }
    }
  }
#pragma GCC unroll 4
  for (int c = 0; c < row_chains; ++c) {
    const std::ptrdiff_t at = i + c * V::width;
    if (at >= count) break;
    const int lanes = lanes_left<Arch, R>(count - at);
    const auto value = V::load_first(a + at, lanes);
    if constexpr (product) {
      sums[c] = V::fma(value, V::load_first(b + at, lanes), sums[c]);
    } else {
      sums[c] = sums[c] + value;
    }
  }
  return Pairs<Arch, R>::template add_lanes<1>((sums[0] + sums[1]) + (sums[2] + sums[3]))[0];
}

template <class Arch, class R>
bool real_rows(const RowSums<R>& t) {
  for (std::ptrdiff_t r = 0; r < t.rows; ++r) {
    const R* a = t.a + t.a_rows[r];
    t.sums[r] = t.b ? real_row<Arch, R, true>(a, t.b + t.b_rows[r], t.count)
                    : real_row<Arch, R, false>(a, nullptr, t.count);
  }
  return true;
}

/// Four chains as in the matrix product (rr, ii, ri, ir), two of them in each vector; conjugation
/// flips the sign of whole chains.
template <class Arch, class R>
void complex_row(const RowSums<R>& t, std::ptrdiff_t r) {
  using V = Vec<Arch, R>;
  using P = Pairs<Arch, R>;
  const R* a = t.a + 2 * t.a_rows[r];
  const R* b = t.b ? t.b + 2 * t.b_rows[r] : nullptr;
  const std::ptrdiff_t reals = 2 * t.count;
  typename V::Reg straight[row_chains] = {}, crossed[row_chains] = {};
  for (std::ptrdiff_t i = 0; i < reals; i += row_chains * V::width) {
#pragma GCC unroll 4
    for (int c = 0; c < row_chains; ++c) {
      const std::ptrdiff_t at = i + c * V::width;
      if (at >= reals) break;
      const int lanes = lanes_left<Arch, R>(reals - at);
      const auto x = V::load_first(a + at, lanes);
      if (b) {
        const auto y = V::load_first(b + at, lanes);
        straight[c] = V::fma(x, y, straight[c]);
        crossed[c] = V::fma(x, P::swapped(y), crossed[c]);
      } else {
        straight[c] = straight[c] + x;
      }
    }
  }
  const auto s =
      P::template add_lanes<2>((straight[0] + straight[1]) + (straight[2] + straight[3]));
  const R sign_a = t.conj_a ? R(-1) : R(1), sign_b = t.conj_b ? R(-1) : R(1);
  if (!b) {
    t.sums[2 * r] = s[0];
    t.sums[2 * r + 1] = sign_a * s[1];
    return;
  }
  const auto x = P::template add_lanes<2>((crossed[0] + crossed[1]) + (crossed[2] + crossed[3]));
  t.sums[2 * r] = s[0] - sign_a * sign_b * s[1];
  t.sums[2 * r + 1] = sign_b * x[0] + sign_a * x[1];
}

template <class Arch, class R>
bool complex_rows(const RowSums<R>& t) {
  for (std::ptrdiff_t r = 0; r < t.rows; ++r) complex_row<Arch, R>(t, r);
  return true;
}

template <class Arch>
bool integer_rows(const RowSums<std::int64_t>& t) {
  using V = Vec<Arch, std::int64_t>;
  WideBits<Arch> wide;
  for (std::ptrdiff_t r = 0; r < t.rows; ++r) {
    const std::int64_t* a = t.a + t.a_rows[r];
    const std::int64_t* b = t.b ? t.b + t.b_rows[r] : nullptr;
    SplitSum<Arch> sum;
    for (std::ptrdiff_t i = 0; i < t.count; i += V::width) {
      const int lanes = lanes_left<Arch, std::int64_t>(t.count - i);
      auto value = V::load_first(a + i, lanes);
      if (b) {
        const auto factor = V::load_first(b + i, lanes);
        wide.see(value);
        wide.see(factor);
        value = V::multiply(value, factor);
      }
      sum.add(value);
    }
    using P = Pairs<Arch, std::int64_t>;
    t.sums[2 * r] = P::template add_lanes<1>(sum.low)[0];
    t.sums[2 * r + 1] = P::template add_lanes<1>(sum.high)[0];
  }
  return wide.none();
}

/// One strip of sums: `lanes[v]` of vector v exist.
template <class Arch, class R, Factor factor>
void real_strip(const ColumnSums<R>& t, std::ptrdiff_t o, int vectors, int tail) {
  using V = Vec<Arch, R>;
  typename V::Reg sums[strip_vectors] = {};
  for (std::ptrdiff_t i = 0; i < t.terms; ++i) {
    const R* a = t.a + t.a_terms[i] + o;
    const R* b = factor == Factor::none ? nullptr : t.b + t.b_terms[i];
    typename V::Reg y{};
    if constexpr (factor == Factor::one) y = V::broadcast(*b);
#pragma GCC unroll 8
    for (int v = 0; v < strip_vectors; ++v) {
      if (v >= vectors) break;
      const int lanes = v + 1 < vectors ? V::width : tail;
      const auto x = V::load_first(a + v * V::width, lanes);
      if constexpr (factor == Factor::each) y = V::load_first(b + o + v * V::width, lanes);
      if constexpr (factor == Factor::none) {
        sums[v] = sums[v] + x;
      } else {
        sums[v] = V::fma(x, y, sums[v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < strip_vectors; ++v) {
    if (v >= vectors) break;
    V::store_first(t.sums + o + v * V::width, sums[v], v + 1 < vectors ? V::width : tail);
  }
}

/// sums += (re, im of b) times a: the swapped vector carries b's imaginary part with the sign that
/// its place in the product has.
template <class Arch, class R, Factor factor>
void complex_strip(const ColumnSums<R>& t, std::ptrdiff_t o, int vectors, int tail) {
  using V = Vec<Arch, R>;
  using P = Pairs<Arch, R>;
  const auto sign_a = P::alternating(R(1), t.conj_a ? R(-1) : R(1));
  const auto sign_im = t.conj_b ? P::alternating(R(1), R(-1)) : P::alternating(R(-1), R(1));
  typename V::Reg sums[strip_vectors] = {};
  for (std::ptrdiff_t i = 0; i < t.terms; ++i) {
    const R* a = t.a + 2 * t.a_terms[i] + o;
    const R* b = factor == Factor::none ? nullptr : t.b + 2 * t.b_terms[i];
    typename V::Reg re{}, im{};
    if constexpr (factor == Factor::one) {
      re = V::broadcast(b[0]);
      im = V::multiply(sign_im, V::broadcast(b[1]));
    }
#pragma GCC unroll 8
    for (int v = 0; v < strip_vectors; ++v) {
      if (v >= vectors) break;
      const int lanes = v + 1 < vectors ? V::width : tail;
      const auto x = V::multiply(sign_a, V::load_first(a + v * V::width, lanes));
      if constexpr (factor == Factor::none) {
        sums[v] = sums[v] + x;
        continue;
      }
      if constexpr (factor == Factor::each) {
        const auto y = V::load_first(b + o + v * V::width, lanes);
        re = P::first(y);
        im = V::multiply(sign_im, P::second(y));
      }
      sums[v] = V::fma(x, re, V::fma(P::swapped(x), im, sums[v]));
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < strip_vectors; ++v) {
    if (v >= vectors) break;
    V::store_first(t.sums + o + v * V::width, sums[v], v + 1 < vectors ? V::width : tail);
  }
}

/// Strips of the sums, whole ones first: their count is a constant there.
template <class Arch, class R, int planes, Factor factor>
bool column_strips(const ColumnSums<R>& t) {
  constexpr int width = Vec<Arch, R>::width;
  const std::ptrdiff_t reals = planes * t.count;
  const auto strip = [&](std::ptrdiff_t o, int vectors, int tail) {
    if constexpr (planes == 1) {
      real_strip<Arch, R, factor>(t, o, vectors, tail);
    } else {
      complex_strip<Arch, R, factor>(t, o, vectors, tail);
    }
  };
  std::ptrdiff_t o = 0;
  for (; o + strip_vectors * width <= reals; o += strip_vectors * width)
    strip(o, strip_vectors, width);
  if (o < reals) {
    const int vectors = static_cast<int>((reals - o - 1) / width) + 1;
    strip(o, vectors, static_cast<int>(reals - o) - (vectors - 1) * width);
  }
  return true;
}

template <class Arch, class R, int planes>
bool float_columns(const ColumnSums<R>& t) {
  switch (factor_of(t.b, t.b_step)) {
    case Factor::none:
      return column_strips<Arch, R, planes, Factor::none>(t);
    case Factor::one:
      return column_strips<Arch, R, planes, Factor::one>(t);
    case Factor::each:
      break;
  }
  return column_strips<Arch, R, planes, Factor::each>(t);
}

template <class Arch>
bool integer_columns(const ColumnSums<std::int64_t>& t) {
  using V = Vec<Arch, std::int64_t>;
  WideBits<Arch> wide;
  for (std::ptrdiff_t o = 0; o < t.count; o += V::width) {
    const int lanes = lanes_left<Arch, std::int64_t>(t.count - o);
    SplitSum<Arch> sum;
    for (std::ptrdiff_t i = 0; i < t.terms; ++i) {
      auto value = V::load_first(t.a + t.a_terms[i] + o, lanes);
      if (t.b) {
        const std::int64_t* b = t.b + t.b_terms[i];
        const auto factor = t.b_step == 0 ? V::broadcast(*b) : V::load_first(b + o, lanes);
        wide.see(value);
        wide.see(factor);
        value = V::multiply(value, factor);
      }
      sum.add(value);
    }
    for (int lane = 0; lane < lanes; ++lane) {
      t.sums[2 * (o + lane)] = sum.low[lane];
      t.sums[2 * (o + lane) + 1] = sum.high[lane];
    }
  }
  return wide.none();
}

}  // namespace tt::kernels
