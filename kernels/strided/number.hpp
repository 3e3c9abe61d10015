// Arithmetic of the streaming kernels by element type: accumulators wide enough to be exact for
// integers, complex products by the textbook formula (no recomputation of NaN), conjugation.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>

namespace tt::kernels {

/// What products of T are summed in. An int64 is exact in 128 bits until that overflows, which is
/// kept in the sum itself.
template <class T>
struct Sum {
  T value = T(0);

  void add(const Sum& other) { value += other.value; }
  void add(T a) { value += a; }
  void add_product(T a, T b) { value += a * b; }
  /// alpha * sum + beta * old; beta == 0 does not look at old. False when T cannot hold it.
  bool store(T alpha, T beta, T& out) const {
    const T scaled = alpha == T(1) ? value : alpha * value;
    out = beta == T(0) ? scaled : scaled + beta * out;
    return true;
  }
};

template <class R>
inline std::complex<R> product(std::complex<R> a, std::complex<R> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class R>
struct Sum<std::complex<R>> {
  using T = std::complex<R>;
  T value = T(0);

  void add(const Sum& other) { value += other.value; }
  void add(T a) { value += a; }
  void add_product(T a, T b) { value += product(a, b); }
  bool store(T alpha, T beta, T& out) const {
    const T scaled = alpha == T(1) ? value : product(alpha, value);
    out = beta == T(0) ? scaled : scaled + product(beta, out);
    return true;
  }
};

template <>
struct Sum<std::int64_t> {
  __extension__ using Wide = __int128;
  Wide value = 0;
  bool overflow = false;

  void add(const Sum& other) {
    overflow |= other.overflow | __builtin_add_overflow(value, other.value, &value);
  }
  void add(std::int64_t a) { overflow |= __builtin_add_overflow(value, Wide{a}, &value); }
  void add_product(std::int64_t a, std::int64_t b) {
    overflow |= __builtin_add_overflow(value, Wide{a} * b, &value);
  }
  bool store(std::int64_t alpha, std::int64_t beta, std::int64_t& out) const {
    Wide scaled = 0;
    bool bad = overflow | __builtin_mul_overflow(value, Wide{alpha}, &scaled);
    if (beta != 0) bad |= __builtin_add_overflow(scaled, Wide{beta} * out, &scaled);
    out = static_cast<std::int64_t>(scaled);
    return !bad && scaled == out;
  }
};

template <class T>
inline T real_part(T a) {
  return a;
}
template <class R>
inline R real_part(std::complex<R> a) {
  return a.real();
}
template <class T>
inline T imaginary_part(T) {
  return 0;
}
template <class R>
inline R imaginary_part(std::complex<R> a) {
  return a.imag();
}

template <class T>
inline T conjugate_if(bool, T a) {
  return a;
}
template <class R>
inline std::complex<R> conjugate_if(bool conjugate, std::complex<R> a) {
  return conjugate ? std::conj(a) : a;
}

}  // namespace tt::kernels
