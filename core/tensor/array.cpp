#include "core/tensor/array.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace tt::core {
namespace {

std::size_t array_bytes(DType dtype, const Shape& shape, std::string_view what) {
  const auto count = checked_count(shape);
  std::int64_t bytes = 0;
  if (!count ||
      __builtin_mul_overflow(*count, static_cast<std::int64_t>(dtype_bytes(dtype)), &bytes))
    throw Error(Category::memory, fmt::format("{} does not fit into memory", what),
                fmt::format("shape {} of {}", shape_text(shape), dtype_name(dtype)));
  return static_cast<std::size_t>(bytes);
}

}  // namespace

Array::Array(DType dtype, Shape shape, std::string_view what)
    : dtype_(dtype), shape_(std::move(shape)), buffer_(array_bytes(dtype, shape_, what), what) {}

}  // namespace tt::core
