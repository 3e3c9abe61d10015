// NumPy basic slicing, "[0:10,:,::-2,3,...]": the text against a shape, and a selection against
// strides.
#pragma once

#include <string>
#include <string_view>

#include "io/source.hpp"

namespace tt::io {

/// The selection that `text` (with its brackets; empty selects all) means on `shape`, one entry an
/// axis. `name` is the operand, for messages. Throws Error(usage) for bad text and Error(data) for
/// an index out of range or too many of them.
Selection parse_selection(std::string_view text, const core::Shape& shape, const std::string& name);

/// The extents that remain: one per axis that is not dropped.
core::Shape selected_shape(const Selection& selection);

/// The selected part of `array`, in place.
core::ArrayRef select(const core::ArrayRef& array, const Selection& selection);

}  // namespace tt::io
