// Shapes and strides: element counts that cannot overflow unseen, C and Fortran strides, text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tt::core {

/// Extents, outermost first. An empty shape is a scalar.
using Shape = std::vector<std::int64_t>;
/// Strides in elements, one per axis; may be negative or 0 (broadcast).
using Strides = std::vector<std::int64_t>;

/// The number of elements, or none when it exceeds 2^63-1. A zero extent gives 0 whatever the rest.
std::optional<std::int64_t> checked_count(std::span<const std::int64_t> shape);

/// The number of elements of a shape that is known to fit.
std::int64_t element_count(std::span<const std::int64_t> shape);

Strides c_strides(std::span<const std::int64_t> shape);
Strides fortran_strides(std::span<const std::int64_t> shape);

/// True when the elements lie one behind the other in C order. Strides of axes of extent 1 do not
/// matter; an empty array is contiguous.
bool is_c_contiguous(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides);

/// NumPy's text: "()", "(3,)", "(3, 4)".
std::string shape_text(std::span<const std::int64_t> shape);

}  // namespace tt::core
