// From the elements a file holds (any dtype, alignment, byte order, strides) to those a command
// wants. One function: values as NumPy's astype, except where astype would lose them in silence.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/tensor/view.hpp"

namespace tt::io {

/// Elements as a file holds them: `data` is the element of index 0 and need not be aligned;
/// `swapped` when their byte order is not the machine's.
struct StoredRef {
  const std::byte* data = nullptr;
  core::DType dtype = core::DType::float64;
  bool swapped = false;
  core::Shape shape;
  core::Strides strides;  // in elements
};

/// to[i] = from[i] for every index; the shapes are equal, the arrays apart. Throws Error(data),
/// naming `name`, for a value that `to` cannot hold: a uint64 above 2^63-1 as int64, a complex
/// number as a real one, NaN or a number out of range as an integer. Narrower integers wrap, floats
/// round to even.
void convert(const StoredRef& from, const core::MutableArrayRef& to, std::string_view name);

/// Reverses the bytes of each element (of each part of a complex one) in place.
void swap_bytes(std::byte* data, core::DType dtype, std::size_t count);

/// Strides without gaps for `shape`, axes in the memory order that `strides` has.
core::Strides dense_strides_like(const core::Shape& shape, const core::Strides& strides);

/// IEEE 754 binary16, as its bits.
double half_to_double(std::uint16_t half);
/// Rounded to nearest, ties to even, straight from the double.
std::uint16_t double_to_half(double value);

}  // namespace tt::io
