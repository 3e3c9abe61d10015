// What a contraction is, by one plain loop over all labels in a wide type: no order, no blocking,
// no vectors, no team. Every element comes with the sum of the magnitudes of its terms, from which
// the error bound of any order of summation follows.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/plan/problem.hpp"
#include "core/tensor/view.hpp"

namespace tt::testing {

template <class T>
struct RealPart {
  using type = T;
};
template <class R>
struct RealPart<std::complex<R>> {
  using type = R;
};
template <class T>
using Real = typename RealPart<T>::type;

template <class T>
constexpr bool is_complex = !std::is_same_v<T, Real<T>>;

using Wide = std::complex<long double>;

template <class T>
Wide widened(T value) {
  if constexpr (is_complex<T>) {
    return {value.real(), value.imag()};
  } else {
    return {static_cast<long double>(value), 0};
  }
}

/// The textbook product: std::complex recomputes every NaN, and a real factor has no 0i.
inline Wide times(Wide a, Wide b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// An upper bound of |value| that needs no square root.
inline long double size_of(Wide value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

struct Element {
  Wide value = 0;
  long double size = 0;  // the sum of the magnitudes of its terms
  std::int64_t terms = 0;
};

/// All elements of the output in C order. An axis of extent 1 under a larger label broadcasts; an
/// output label that repeats is the diagonal, and everything beside it has no terms.
template <class T>
std::vector<Element> contract(const core::Problem& problem,
                              const std::vector<core::ArrayRef>& operands,
                              const std::vector<bool>& conjugate = {}) {
  const core::Shape shape = problem.output_shape();
  std::vector<Element> result(static_cast<std::size_t>(core::element_count(shape)));
  std::int64_t loops = 1;
  for (const std::int64_t extent : problem.extents) loops *= extent;
  std::vector<std::int64_t> at(problem.extents.size(), 0);
  const core::Strides places = core::c_strides(shape);
  for (std::int64_t loop = 0; loop < loops; ++loop) {
    Wide term = 1;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const T* element = static_cast<const T*>(operands[i].data);
      for (std::size_t axis = 0; axis < operands[i].shape.size(); ++axis)
        if (operands[i].shape[axis] != 1)
          element +=
              operands[i].strides[axis] * at[static_cast<std::size_t>(problem.inputs[i][axis])];
      const Wide value = widened(*element);
      const bool flip = i < conjugate.size() && conjugate[i];
      term =
          i == 0 ? (flip ? std::conj(value) : value) : times(term, flip ? std::conj(value) : value);
    }
    std::int64_t place = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      place += places[axis] * at[static_cast<std::size_t>(problem.output[axis])];
    Element& element = result[static_cast<std::size_t>(place)];
    element.value += term;
    element.size += size_of(term);
    ++element.terms;
    for (std::size_t label = at.size(); label-- > 0;) {
      if (++at[label] < problem.extents[label]) break;
      at[label] = 0;
    }
  }
  return result;
}

/// Whether `got` is alpha * element + beta * old up to the rounding of any order of contraction:
/// eps times the operations on the way of a term, times the magnitudes. int64 must be equal.
template <class T>
bool is_close(T got, const Element& element, T alpha, T beta, T old, std::int64_t operations) {
  Wide expected = times(widened(alpha), element.value);
  long double size = size_of(widened(alpha)) * element.size;
  if (beta != T(0)) {
    const Wide kept = times(widened(beta), widened(old));
    expected += kept;
    size += size_of(kept);
  }
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return widened(got) == expected;
  } else {
    const long double eps = std::numeric_limits<Real<T>>::epsilon();
    return size_of(widened(got) - expected) <= eps * static_cast<long double>(operations) * size;
  }
}

}  // namespace tt::testing
