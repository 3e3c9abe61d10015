// Operand text: "a.h5:/group/x[0:10,:]" -> file, member, selection -> an open Source. Names with
// blanks, colons and brackets are settled by what exists: the longest prefix that is a file wins.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.hpp"

namespace tt::io {

/// Opens any operand of cli.md, section 1: a file by extension, then by magic bytes; "-" and
/// /dev/stdin (read once a command, from the magic bytes); "@..." made on the spot; each with a
/// selection behind it. Throws Error(usage | data | io).
std::unique_ptr<Source> open_operand(std::string_view text);

/// The operands of a list file, one a line; blank lines are skipped. Throws Error(io).
std::vector<std::string> read_operand_list(const std::string& path);

/// Opens the target of -o: "c.npy", "c.npz[:name]", "c.h5[:/path]", "-". Throws Error(usage) on an
/// unknown extension, Error(io) when the folder is not there or not writable.
std::unique_ptr<Sink> open_target(std::string_view text, const SinkOptions& options);

/// Everything in a file, for `info`.
struct FileInfo {
  std::string file, format;
  std::vector<ArrayInfo> members;
};
FileInfo inspect(const std::string& file);

}  // namespace tt::io
