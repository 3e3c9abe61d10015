// Sums along rows (lanes are neighbours of one sum, folded at the end) and across them (lanes are
// sums, one term after the other). Tails go through the same vectors, filled with zeros.
#pragma once

#include "kernels/strided/micro/kernels.hpp"
#include "kernels/strided/micro/lanes.hpp"

namespace tt::kernels {

inline constexpr int strip_vectors = 8;    // sums that stay in registers across the terms
inline constexpr int integer_vectors = 4;  // the same, of two halves each

enum class Factor { none, one, each };

inline Factor factor_of(const void* b, std::ptrdiff_t b_step) {
  return !b ? Factor::none : b_step == 0 ? Factor::one : Factor::each;
}

/// The lanes of a vector that a tail of `left` reals has, at most all.
template <class Arch, class R>
int lanes_left(std::ptrdiff_t left) {
  return left < Vec<Arch, R>::width ? static_cast<int>(left) : Vec<Arch, R>::width;
}

/// Two rows at a time: two streams from memory, and twice the chains. Each has its own tree.
template <class Arch, class R>
struct RowPair {
  const R *a[2], *b[2];

  RowPair(const RowSums<R>& t, std::ptrdiff_t first, std::ptrdiff_t second, int planes)
      : a{t.a + planes * t.a_rows[first], t.a + planes * t.a_rows[second]},
        b{t.b ? t.b + planes * t.b_rows[first] : nullptr,
          t.b ? t.b + planes * t.b_rows[second] : nullptr} {}
};

template <class Arch, class R, bool product, int rows>
[[gnu::always_inline]] inline void real_row_pair(const RowPair<Arch, R>& row, std::ptrdiff_t count,
                                                 R* to) {
  using V = Vec<Arch, R>;
  constexpr int chains = 4;
  typename V::Reg sums[rows][chains] = {};
  const auto add = [&](int r, int c, std::ptrdiff_t at, int lanes) {
    const auto value = V::load_first(row.a[r] + at, lanes);
    if constexpr (product) {
      sums[r][c] = V::fma(value, V::load_first(row.b[r] + at, lanes), sums[r][c]);
    } else {
      sums[r][c] = sums[r][c] + value;
    }
  };
  std::ptrdiff_t i = 0;
  for (; i + chains * V::width <= count; i += chains * V::width) {
#pragma GCC unroll 4
    for (int c = 0; c < chains; ++c)
#pragma GCC unroll 2
      for (int r = 0; r < rows; ++r) add(r, c, i + c * V::width, V::width);
  }
#pragma GCC unroll 4
  for (int c = 0; c < chains; ++c) {
    const std::ptrdiff_t at = i + c * V::width;
    if (at >= count) break;
    const int lanes = lanes_left<Arch, R>(count - at);
#pragma GCC unroll 2
    for (int r = 0; r < rows; ++r) add(r, c, at, lanes);
  }
#pragma GCC unroll 2
  for (int r = 0; r < rows; ++r)
    to[r] = Pairs<Arch, R>::template add_lanes<1>((sums[r][0] + sums[r][1]) +
                                                  (sums[r][2] + sums[r][3]))[0];
}

/// Four chains as in the matrix product (rr, ii, ri, ir), two of them in each vector; conjugation
/// flips the sign of whole chains.
template <class Arch, class R, bool product, int rows>
[[gnu::always_inline]] inline void complex_row_pair(const RowPair<Arch, R>& row,
                                                    const RowSums<R>& t, R* to) {
  using V = Vec<Arch, R>;
  using P = Pairs<Arch, R>;
  constexpr int chains = 2;
  const std::ptrdiff_t reals = 2 * t.count;
  typename V::Reg straight[rows][chains] = {}, crossed[rows][chains] = {};
  const auto add = [&](int r, int c, std::ptrdiff_t at, int lanes) {
    const auto x = V::load_first(row.a[r] + at, lanes);
    if constexpr (product) {
      const auto y = V::load_first(row.b[r] + at, lanes);
      straight[r][c] = V::fma(x, y, straight[r][c]);
      crossed[r][c] = V::fma(x, P::swapped(y), crossed[r][c]);
    } else {
      straight[r][c] = straight[r][c] + x;
    }
  };
  std::ptrdiff_t i = 0;
  for (; i + chains * V::width <= reals; i += chains * V::width) {
#pragma GCC unroll 2
    for (int c = 0; c < chains; ++c)
#pragma GCC unroll 2
      for (int r = 0; r < rows; ++r) add(r, c, i + c * V::width, V::width);
  }
#pragma GCC unroll 2
  for (int c = 0; c < chains; ++c) {
    const std::ptrdiff_t at = i + c * V::width;
    if (at >= reals) break;
    const int lanes = lanes_left<Arch, R>(reals - at);
#pragma GCC unroll 2
    for (int r = 0; r < rows; ++r) add(r, c, at, lanes);
  }
  const R sign_a = t.conj_a ? R(-1) : R(1), sign_b = t.conj_b ? R(-1) : R(1);
#pragma GCC unroll 2
  for (int r = 0; r < rows; ++r) {
    const auto s = P::template add_lanes<2>(straight[r][0] + straight[r][1]);
    if constexpr (product) {
      const auto x = P::template add_lanes<2>(crossed[r][0] + crossed[r][1]);
      to[2 * r] = s[0] - sign_a * sign_b * s[1];
      to[2 * r + 1] = sign_b * x[0] + sign_a * x[1];
    } else {
      to[2 * r] = s[0];
      to[2 * r + 1] = sign_a * s[1];
    }
  }
}

template <class Arch, class R, int planes, bool product, int rows>
void float_row_pair(const RowSums<R>& t, std::ptrdiff_t r) {
  const RowPair<Arch, R> row(t, r, r + rows - 1, planes);
  if constexpr (planes == 1) {
    real_row_pair<Arch, R, product, rows>(row, t.count, t.sums + r);
  } else {
    complex_row_pair<Arch, R, product, rows>(row, t, t.sums + 2 * r);
  }
}

template <class Arch, class R, int planes>
bool float_rows(const RowSums<R>& t) {
  std::ptrdiff_t r = 0;
  for (; r + 2 <= t.rows; r += 2) {
    if (t.b) {
      float_row_pair<Arch, R, planes, true, 2>(t, r);
    } else {
      float_row_pair<Arch, R, planes, false, 2>(t, r);
    }
  }
  if (r == t.rows) return true;
  if (t.b) {
    float_row_pair<Arch, R, planes, true, 1>(t, r);
  } else {
    float_row_pair<Arch, R, planes, false, 1>(t, r);
  }
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
        value = wrapping_product<Arch>(value, factor);
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

template <class Arch, Factor factor>
void integer_strip(const ColumnSums<std::int64_t>& t, std::ptrdiff_t o, int vectors, int tail,
                   WideBits<Arch>& wide) {
  using V = Vec<Arch, std::int64_t>;
  SplitSum<Arch> sums[integer_vectors];
  for (std::ptrdiff_t i = 0; i < t.terms; ++i) {
    const std::int64_t* a = t.a + t.a_terms[i] + o;
    const std::int64_t* b = factor == Factor::none ? nullptr : t.b + t.b_terms[i];
    typename V::Reg y{};
    if constexpr (factor == Factor::one) {
      y = V::broadcast(*b);
      wide.see(y);
    }
#pragma GCC unroll 4
    for (int v = 0; v < integer_vectors; ++v) {
      if (v >= vectors) break;
      const int lanes = v + 1 < vectors ? V::width : tail;
      auto value = V::load_first(a + v * V::width, lanes);
      if constexpr (factor == Factor::each) {
        y = V::load_first(b + o + v * V::width, lanes);
        wide.see(y);
      }
      if constexpr (factor != Factor::none) {
        wide.see(value);
        value = wrapping_product<Arch>(value, y);
      }
      sums[v].add(value);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < integer_vectors; ++v) {
    if (v >= vectors) break;
    const int lanes = v + 1 < vectors ? V::width : tail;
    typename V::Reg low, high;
    V::interleave(sums[v].low, sums[v].high, low, high);
    std::int64_t* to = t.sums + 2 * (o + v * V::width);
    V::store_first(to, low, 2 * lanes);
    if (2 * lanes > V::width) V::store_first(to + V::width, high, 2 * lanes - V::width);
  }
}

template <class Arch, Factor factor>
bool integer_strips(const ColumnSums<std::int64_t>& t) {
  constexpr int width = Vec<Arch, std::int64_t>::width;
  WideBits<Arch> wide;
  std::ptrdiff_t o = 0;
  for (; o + integer_vectors * width <= t.count; o += integer_vectors * width)
    integer_strip<Arch, factor>(t, o, integer_vectors, width, wide);
  if (o < t.count) {
    const int vectors = static_cast<int>((t.count - o - 1) / width) + 1;
    integer_strip<Arch, factor>(t, o, vectors,
                                static_cast<int>(t.count - o) - (vectors - 1) * width, wide);
  }
  return wide.none();
}

template <class Arch>
bool integer_columns(const ColumnSums<std::int64_t>& t) {
  switch (factor_of(t.b, t.b_step)) {
    case Factor::none:
      return integer_strips<Arch, Factor::none>(t);
    case Factor::one:
      return integer_strips<Arch, Factor::one>(t);
    case Factor::each:
      break;
  }
  return integer_strips<Arch, Factor::each>(t);
}

}  // namespace tt::kernels
