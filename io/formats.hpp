// The list of formats: the only place that knows them all. One row a format.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/operand.hpp"
#include "io/source.hpp"

namespace tt::io {

/// What a format can do. `member` is the text behind ":" in an operand or target, empty when
/// absent.
struct Format {
  std::string_view name;                         // "npy"
  std::span<const std::string_view> extensions;  // ".npy"
  bool (*has_magic)(std::string_view first_bytes);
  /// `operand` is the text as typed, for messages; `selection` the brackets behind it, or empty.
  std::unique_ptr<Source> (*open)(const std::string& file, std::string_view member,
                                  std::string_view selection, const std::string& operand);
  /// The file "-" is standard output.
  std::unique_ptr<Sink> (*create)(const std::string& file, std::string_view member,
                                  const SinkOptions& options);
  FileInfo (*inspect)(const std::string& file);
};

extern const Format npy_format;
extern const Format npz_format;
extern const Format hdf5_format;

std::span<const Format* const> formats();

/// By extension, then (for reading) by the first bytes of the file; null when neither tells.
const Format* find_format_by_extension(std::string_view file);
const Format* find_format_by_magic(const std::string& file);

/// ".npy, .npz, .h5": for messages.
std::string known_extensions();

}  // namespace tt::io
