// HDF5's types and ours: integers, floats of 16 to 64 bits, h5py's bool (an enum of FALSE and TRUE)
// and complex numbers (a compound of two floats, r and i). Everything else is refused by name.
#pragma once

#include <optional>
#include <string>

#include "core/tensor/dtype.hpp"
#include "io/hdf5_base.hpp"

namespace tt::io {

/// What a stored type is to us.
struct Hdf5Type {
  core::DType dtype = core::DType::float64;
  bool big_endian = false;
  /// The bytes are those of the dtype (but for their order), without padding: they can be mapped.
  bool plain = false;
};

/// None when the type is not supported.
std::optional<Hdf5Type> read_type(hid_t type);

/// "a string", "a compound": what an unsupported type is, for messages.
std::string type_name(hid_t type);

/// The type to read elements of `stored` with: native order, laid out as the dtype.
Hdf5Id memory_type(hid_t stored, core::DType dtype);

/// The type to store a dtype as: what h5py writes.
Hdf5Id file_type(core::DType dtype);

}  // namespace tt::io
