// The header of an NPY array (NumPy's format 1, 2 and 3), read strictly and written as NumPy does.
// Used wherever NPY bytes come from: a file, a member of an .npz, a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/source.hpp"

namespace tt::io {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// The first bytes that tell how long the header is.
inline constexpr std::size_t npy_prefix_bytes = 12;

/// An NPY array: what it is, and how many bytes header and data have.
struct NpyHeader {
  ArrayInfo info;  // stored_bytes is the data
  std::size_t bytes = 0;
};

/// The length of the whole header, from its first npy_prefix_bytes. Throws Error(data), naming
/// `name`, for another magic, an unknown version, an absurd length.
std::size_t npy_header_bytes(std::string_view prefix, const std::string& name);

/// Reads a whole header. Throws Error(data) for anything that does not describe a numeric array
/// whose bytes can be counted; objects (pickles) are refused by name.
NpyHeader parse_npy_header(std::string_view header, const std::string& name);

/// The header of a C-ordered array in native byte order: a multiple of 64 bytes, as NumPy writes
/// it.
std::string format_npy_header(core::DType dtype, const core::Shape& shape);

}  // namespace tt::io
