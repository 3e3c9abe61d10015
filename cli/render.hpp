// Arrays as text: a table as numpy.array2string prints it, and one number with every digit it
// needs; and the only writer of text to standard output. A write that fails is an error of the
// command (status 5); a broken pipe ends it quietly (SIGPIPE).
#pragma once

#include <cstddef>
#include <string>

#include "core/tensor/view.hpp"

namespace tt::cli {

struct RenderOptions {
  int precision = 8;         // digits behind the point, at most; not negative
  bool full = false;         // print every element, however many there are
  std::size_t columns = 75;  // a row is wrapped before it gets longer, if its elements allow
};

/// numpy.array2string of an array of any dtype, rank and strides, without a line end: nested
/// brackets, aligned columns, "..." between the outer three items of each axis when there are more
/// than 1000 elements. An array without elements is "[]".
std::string render_array(const core::ArrayRef& array, const RenderOptions& options);

/// A 0-d array as Python prints the number, with as few digits as bring it back in its own dtype:
/// "14.0", "1e-05", "14", "(1+2j)", "nan", "True".
std::string render_scalar(const core::ArrayRef& scalar);

/// Writes to standard output. Throws Error(io) when that fails.
void print_text(const std::string& text);

}  // namespace tt::cli
