// Products element by element, copies with a factor, and transposition of tiles. Products are
// rounded as they are written, without fused multiply-adds: their bits are those of plain loops.
#pragma once

#include "kernels/strided/micro/kernels.hpp"
#include "kernels/strided/micro/lanes.hpp"
#include "kernels/strided/micro/sums.hpp"

namespace tt::kernels {

enum class Update { plain, scaled };

/// A complex factor in all elements; `im` has the sign of its place in the product.
template <class Arch, class R>
struct ComplexFactor {
  using V = Vec<Arch, R>;
  typename V::Reg re, im;
  bool real;

  explicit ComplexFactor(const R (&value)[2])
      : re(V::broadcast(value[0])),
        im(Pairs<Arch, R>::alternating(-value[1], value[1])),
        real(value[1] == R(0)) {}

  /// A real factor multiplies the parts, so that 1 * (inf + 0i) stays what it is.
  typename V::Reg times(typename V::Reg x) const {
    const auto straight = V::multiply(x, re);
    return real ? straight : straight + V::multiply(Pairs<Arch, R>::swapped(x), im);
  }
};

template <class Arch, class R, Factor factor, Update update>
void real_map(const MapRows<R>& t) {
  using V = Vec<Arch, R>;
  const auto alpha = V::broadcast(t.alpha[0]), beta = V::broadcast(t.beta[0]);
  for (std::ptrdiff_t r = 0; r < t.rows; ++r) {
    const R* a = t.a + r * t.a_row;
    const R* b = factor == Factor::none ? nullptr : t.b + r * t.b_row;
    R* c = t.c + r * t.c_row;
    typename V::Reg y{};
    if constexpr (factor == Factor::one) y = V::broadcast(*b);
    const auto element = [&](std::ptrdiff_t i, int lanes) {
      auto x = V::load_first(a + i, lanes);
      if constexpr (factor == Factor::each) y = V::load_first(b + i, lanes);
      if constexpr (factor != Factor::none) x = V::multiply(x, y);
      if constexpr (update == Update::scaled) {
        x = V::multiply(alpha, x);
        if (t.read) x = x + V::multiply(beta, V::load_first(c + i, lanes));
      }
      V::store_first(c + i, x, lanes);
    };
    std::ptrdiff_t i = 0;
    for (; i + V::width <= t.count; i += V::width) element(i, V::width);
    if (i < t.count) element(i, static_cast<int>(t.count - i));
  }
}

template <class Arch, class R, Factor factor, Update update>
void complex_map(const MapRows<R>& t) {
  using V = Vec<Arch, R>;
  using P = Pairs<Arch, R>;
  const ComplexFactor<Arch, R> alpha(t.alpha), beta(t.beta);
  const auto sign_a = P::alternating(R(1), t.conj_a ? R(-1) : R(1));
  const auto sign_im = t.conj_b ? P::alternating(R(1), R(-1)) : P::alternating(R(-1), R(1));
  const std::ptrdiff_t reals = 2 * t.count;
  for (std::ptrdiff_t r = 0; r < t.rows; ++r) {
    const R* a = t.a + 2 * r * t.a_row;
    const R* b = factor == Factor::none ? nullptr : t.b + 2 * r * t.b_row;
    R* c = t.c + 2 * r * t.c_row;
    typename V::Reg re{}, im{};
    if constexpr (factor == Factor::one) {
      re = V::broadcast(b[0]);
      im = V::multiply(sign_im, V::broadcast(b[1]));
    }
    const auto element = [&](std::ptrdiff_t i, int lanes) {
      auto x = V::multiply(sign_a, V::load_first(a + i, lanes));
      if constexpr (factor == Factor::each) {
        const auto y = V::load_first(b + i, lanes);
        re = P::first(y);
        im = V::multiply(sign_im, P::second(y));
      }
      if constexpr (factor != Factor::none) x = V::multiply(x, re) + V::multiply(P::swapped(x), im);
      if constexpr (update == Update::scaled) {
        x = alpha.times(x);
        if (t.read) x = x + beta.times(V::load_first(c + i, lanes));
      }
      V::store_first(c + i, x, lanes);
    };
    std::ptrdiff_t i = 0;
    for (; i + V::width <= reals; i += V::width) element(i, V::width);
    if (i < reals) element(i, static_cast<int>(reals - i));
  }
}

template <class Arch, class R, int planes, Factor factor, Update update>
void float_map(const MapRows<R>& t) {
  if constexpr (planes == 1) {
    real_map<Arch, R, factor, update>(t);
  } else {
    complex_map<Arch, R, factor, update>(t);
  }
}

template <class Arch, class R, int planes>
bool float_maps(const MapRows<R>& t) {
  using Map = void (*)(const MapRows<R>&);
  static constexpr Map maps[3][2] = {{float_map<Arch, R, planes, Factor::none, Update::plain>,
                                      float_map<Arch, R, planes, Factor::none, Update::scaled>},
                                     {float_map<Arch, R, planes, Factor::one, Update::plain>,
                                      float_map<Arch, R, planes, Factor::one, Update::scaled>},
                                     {float_map<Arch, R, planes, Factor::each, Update::plain>,
                                      float_map<Arch, R, planes, Factor::each, Update::scaled>}};
  const bool scaled = t.read || t.alpha[0] != R(1) || (planes == 2 && t.alpha[1] != R(0));
  maps[static_cast<int>(factor_of(t.b, t.b_step))][scaled](t);
  return true;
}

template <class Arch, Factor factor>
bool integer_map(const MapRows<std::int64_t>& t) {
  using V = Vec<Arch, std::int64_t>;
  WideBits<Arch> wide;
  for (std::ptrdiff_t r = 0; r < t.rows; ++r) {
    const std::int64_t* a = t.a + r * t.a_row;
    const std::int64_t* b = factor == Factor::none ? nullptr : t.b + r * t.b_row;
    for (std::ptrdiff_t i = 0; i < t.count; i += V::width) {
      const int lanes = lanes_left<Arch, std::int64_t>(t.count - i);
      auto value = V::load_first(a + i, lanes);
      if constexpr (factor != Factor::none) {
        const auto y = factor == Factor::one ? V::broadcast(*b) : V::load_first(b + i, lanes);
        wide.see(value);
        wide.see(y);
        value = wrapping_product<Arch>(value, y);
      }
      V::store_first(t.c + r * t.c_row + i, value, lanes);
    }
  }
  return wide.none();
}

template <class Arch>
bool integer_maps(const MapRows<std::int64_t>& t) {
  switch (factor_of(t.b, t.b_step)) {
    case Factor::none:
      return integer_map<Arch, Factor::none>(t);
    case Factor::one:
      return integer_map<Arch, Factor::one>(t);
    case Factor::each:
      break;
  }
  return integer_map<Arch, Factor::each>(t);
}

/// Element by element, as bytes: what the squares below leave over, and elements of 16 bytes.
template <int bytes>
void transpose_plainly(char* to, std::ptrdiff_t to_row, const char* from, std::ptrdiff_t from_row,
                       std::ptrdiff_t rows, std::ptrdiff_t columns) {
  for (std::ptrdiff_t j = 0; j < columns; ++j)
    for (std::ptrdiff_t i = 0; i < rows; ++i)
      __builtin_memcpy(to + (j * to_row + i) * bytes, from + (i * from_row + j) * bytes, bytes);
}

/// Squares of `width` elements in registers. R is any type of the size of an element: its lanes are
/// only moved.
template <class Arch, class R>
void transpose_squares(R* to, std::ptrdiff_t to_row, const R* from, std::ptrdiff_t from_row,
                       std::ptrdiff_t rows, std::ptrdiff_t columns) {
  using V = Vec<Arch, R>;
  const std::ptrdiff_t whole_rows = rows - rows % V::width;
  const std::ptrdiff_t whole_columns = columns - columns % V::width;
  for (std::ptrdiff_t i = 0; i < whole_rows; i += V::width)
    for (std::ptrdiff_t j = 0; j < whole_columns; j += V::width) {
      typename V::Reg square[V::width];
#pragma GCC unroll 16
      for (int k = 0; k < V::width; ++k) square[k] = V::load(from + (i + k) * from_row + j);
      V::transpose(square);
#pragma GCC unroll 16
      for (int k = 0; k < V::width; ++k) V::store(to + (j + k) * to_row + i, square[k]);
    }
  const auto rest = [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t n, std::ptrdiff_t m) {
    transpose_plainly<sizeof(R)>(reinterpret_cast<char*>(to + j * to_row + i), to_row,
                                 reinterpret_cast<const char*>(from + i * from_row + j), from_row,
                                 n, m);
  };
  rest(whole_rows, 0, rows - whole_rows, columns);
  rest(0, whole_columns, whole_rows, columns - whole_columns);
}

template <class Arch, class R, int planes>
void transpose_tile(const TransposedTile<R>& t) {
  if constexpr (planes == 1) {
    transpose_squares<Arch, R>(t.to, t.to_row, t.from, t.from_row, t.rows, t.columns);
  } else if constexpr (sizeof(R) == 4) {
    transpose_squares<Arch, double>(reinterpret_cast<double*>(t.to), t.to_row,
                                    reinterpret_cast<const double*>(t.from), t.from_row, t.rows,
                                    t.columns);
  } else {
    transpose_plainly<2 * sizeof(R)>(reinterpret_cast<char*>(t.to), t.to_row,
                                     reinterpret_cast<const char*>(t.from), t.from_row, t.rows,
                                     t.columns);
  }
}

}  // namespace tt::kernels
