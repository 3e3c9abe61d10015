// Results into HDF5 files, new or existing. An existing file is copied beside itself (shared blocks
// where the file system can), the copy gets the results and takes the file's place: readers see the
// old file or the new one, and all that this command does not write stays.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/source.hpp"

namespace tt::io {

/// As Format::create. One result goes to `member` (or under its own name), several into the group
/// `member`. A dataset of the same shape and type is overwritten where it is, another is replaced.
std::unique_ptr<Sink> create_hdf5_sink(const std::string& file, std::string_view member,
                                       const SinkOptions& options);

}  // namespace tt::io
