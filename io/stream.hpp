// Arrays from a stream (standard input, a pipe, a process substitution): NPY or NPZ, told apart by
// the first bytes, read once whoever asks, and never more memory than has arrived or the header
// proves.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/operand.hpp"
#include "io/source.hpp"

namespace tt::io {

/// True for the names of standard input: "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0".
bool is_standard_input(std::string_view file);

/// Opens `file`, a name of standard input or a file that is not regular. Several sources on the
/// same stream get the same array. Throws Error(io) and Error(data), naming `operand`.
std::unique_ptr<Source> open_stream(const std::string& file, std::string_view member,
                                    std::string_view selection, const std::string& operand);

/// What the stream holds, for `info`.
FileInfo inspect_stream(const std::string& file);

}  // namespace tt::io
