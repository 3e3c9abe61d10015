// Random tensors in memory as files and slices lay them out: any order of axes, gaps, negative
// strides, and axes that repeat one element.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "core/tensor/view.hpp"

namespace tt::testing {

/// Small integers for int64 (sums of few products are exact), else uniform in [-1, 1).
template <class T>
T random_value(std::mt19937_64& random) {
  std::uniform_real_distribution<double> real(-1, 1);
  if constexpr (std::is_same_v<T, std::int64_t>) {
    return static_cast<std::int64_t>(random() % 201) - 100;
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(real(random));
  } else {
    using R = typename T::value_type;
    return {static_cast<R>(real(random)), static_cast<R>(real(random))};
  }
}

/// A tensor and the memory around it.
template <class T>
struct Strided {
  std::vector<T> data;
  std::int64_t origin = 0;
  core::Shape shape;
  core::Strides strides;

  core::ArrayRef ref() const { return {data.data() + origin, core::dtype_of<T>, shape, strides}; }
};

template <class T>
Strided<T> c_ordered(const core::Shape& shape, std::mt19937_64& random) {
  Strided<T> tensor{{}, 0, shape, core::c_strides(shape)};
  tensor.data.resize(
      static_cast<std::size_t>(std::max<std::int64_t>(core::element_count(shape), 1)));
  for (T& value : tensor.data) value = random_value<T>(random);
  return tensor;
}

/// Axes in a random order of memory; each of them may have a gap, run backwards, or (rarely) stand
/// still.
template <class T>
Strided<T> any_layout(const core::Shape& shape, std::mt19937_64& random) {
  Strided<T> tensor{{}, 0, shape, core::Strides(shape.size())};
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  std::int64_t span = 1;
  for (const std::size_t axis : order) {
    const std::int64_t extent = std::max<std::int64_t>(shape[axis], 1);
    const std::int64_t gap = random() % 4 == 0 ? 1 + static_cast<std::int64_t>(random() % 2) : 0;
    if (random() % 16 == 0) continue;
    const std::int64_t stride = span + gap;
    tensor.strides[axis] = stride;
    span += stride * (extent - 1);
    if (random() % 4 == 0) {
      tensor.strides[axis] = -stride;
      tensor.origin += stride * (extent - 1);
    }
  }
  tensor.data.resize(static_cast<std::size_t>(span));
  for (T& value : tensor.data) value = random_value<T>(random);
  return tensor;
}

}  // namespace tt::testing
