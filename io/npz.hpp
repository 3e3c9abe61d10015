// Archives of NPY arrays that lie in memory: an .npz file once mapped, an .npz from a stream.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/operand.hpp"
#include "io/stored_array.hpp"

namespace tt::io {

bool has_zip_magic(std::string_view first_bytes);

/// As Format::open and Format::inspect, for an archive at `region`.
std::unique_ptr<Source> open_npz_region(Region region, std::string_view member,
                                        std::string_view selection, const std::string& operand);
FileInfo inspect_npz_region(Region region, const std::string& file);

}  // namespace tt::io
