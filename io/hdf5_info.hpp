// What an HDF5 file holds, for `info`: every dataset of numbers with its attributes.
#pragma once

#include <string>

#include "io/operand.hpp"

namespace tt::io {

/// Throws Error(data) when the file cannot be read. Attributes that are neither numbers nor text
/// are left out, long ones cut.
FileInfo inspect_hdf5(const std::string& file);

}  // namespace tt::io
