// Views: where an array lies, without owning it. ArrayRef (untyped) travels between layers; kernels
// take typed views and get them from `visit`, once, at the top of a kernel family.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "core/check.hpp"
#include "core/tensor/dtype.hpp"
#include "core/tensor/shape.hpp"

namespace tt::core {

/// An array that may be read: aligned elements of `dtype` in native byte order; `data` is the
/// element of index 0 (with negative strides not the lowest address). `data` may be null in a dry
/// run.
struct ArrayRef {
  const void* data = nullptr;
  DType dtype = DType::float64;
  Shape shape;
  Strides strides;
};

/// An array that may be written.
struct MutableArrayRef {
  void* data = nullptr;
  DType dtype = DType::float64;
  Shape shape;
  Strides strides;

  operator ArrayRef() const { return {data, dtype, shape, strides}; }
};

/// The typed form that kernels take. T is const-qualified for operands.
template <class T>
struct View {
  T* data = nullptr;
  std::span<const std::int64_t> shape;
  std::span<const std::int64_t> strides;
};

/// Calls fn(View<const T>) with the C++ type of a computed dtype (float32, float64, complex64,
/// complex128, int64). Any other dtype is a mistake of the caller.
template <class Fn>
decltype(auto) visit(const ArrayRef& array, Fn&& fn) {
  const auto typed = [&]<class T>(std::type_identity<T>) -> decltype(auto) {
    return fn(View<const T>{static_cast<const T*>(array.data), array.shape, array.strides});
  };
  switch (array.dtype) {
    case DType::float32:
      return typed(std::type_identity<float>{});
    case DType::complex64:
      return typed(std::type_identity<std::complex<float>>{});
    case DType::complex128:
      return typed(std::type_identity<std::complex<double>>{});
    case DType::int64:
      return typed(std::type_identity<std::int64_t>{});
    default:
      break;
  }
  TT_CHECK_EQ(static_cast<int>(array.dtype), static_cast<int>(DType::float64));
  return typed(std::type_identity<double>{});
}

}  // namespace tt::core
