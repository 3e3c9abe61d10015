// Datasets of an HDF5 file: found by path (or as the only one), described, and checked before their
// data is touched: filters that are missing, storage that is missing or lies elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5_base.hpp"
#include "io/hdf5_type.hpp"
#include "io/source.hpp"

namespace tt::io {

/// An open dataset of numbers.
struct Hdf5Dataset {
  Hdf5Id id;
  ArrayInfo info;  // path, dtype, shape, chunks, filters; stored_bytes
  Hdf5Type type;
};

/// Opens the dataset at `path` ("/g/x" or "g/x"), or the only numeric one of the file when that is
/// empty. Throws Error(data) for what is no dataset of numbers, Error(usage) listing the
/// candidates.
Hdf5Dataset open_dataset(hid_t file, std::string_view path, const std::string& name);

/// Paths of all numeric datasets, each once, soft and external links not followed.
std::vector<std::string> list_datasets(hid_t file, const std::string& name);

/// Throws Error(data) when the data cannot be read here: a filter that is not built in, external or
/// virtual storage whose files are missing or lie outside the folder of the file.
void check_storage(const Hdf5Dataset& dataset, const std::string& name);

}  // namespace tt::io
