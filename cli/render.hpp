// The only writer of text to standard output: arrays as NumPy prints them, scalars, reports. A
// write that fails is an error of the command (status 5); a broken pipe ends it quietly (SIGPIPE).
#pragma once

#include <string>

#include "core/tensor/view.hpp"

namespace tt::cli {

struct RenderOptions {
  int precision = 8;  // digits behind the point, at most
  bool full = false;  // no summarising
};

/// NumPy's summarised print of an array of any dtype: nested brackets, aligned columns, "..." for
/// the middle of more than 1000 elements.
std::string render_array(const core::ArrayRef& array, const RenderOptions& options);

/// A 0-d array, with as many digits as bring the number back: "14.0", "14", "(1+2j)", "True".
std::string render_scalar(const core::ArrayRef& scalar);

/// Writes to standard output. Throws Error(io) when that fails.
void print_text(const std::string& text);

}  // namespace tt::cli
