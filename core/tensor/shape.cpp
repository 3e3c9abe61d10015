#include "core/tensor/shape.hpp"

#include <algorithm>
#include <limits>

#include "core/check.hpp"

namespace tt::core {

std::optional<std::int64_t> checked_count(std::span<const std::int64_t> shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  return count;
}

std::int64_t element_count(std::span<const std::int64_t> shape) {
  const auto count = checked_count(shape);
  TT_CHECK_EQ(count.has_value(), true);
  return *count;
}

Strides c_strides(std::span<const std::int64_t> shape) {
  Strides strides(shape.size());
  std::int64_t next = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = next;
    next *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

Strides fortran_strides(std::span<const std::int64_t> shape) {
  Strides strides(shape.size());
  std::int64_t next = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    strides[i] = next;
    next *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

bool is_c_contiguous(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  if (std::ranges::find(shape, 0) != shape.end()) return true;
  std::int64_t next = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    if (strides[i] != next) return false;
    next *= shape[i];
  }
  return true;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i) text += ", ";
    text += fmt::format("{}", shape[i]);
  }
  return text + ")";
}

}  // namespace tt::core
