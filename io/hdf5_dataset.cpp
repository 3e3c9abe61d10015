#include "io/hdf5_dataset.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "io/commit.hpp"

namespace tt::io {
namespace {

using core::Category;
using core::Error;

/// True for names that stay in the folder of the file: relative, never up. A file of someone else's
/// making must not name /etc/passwd as its data.
bool stays_in_folder(std::string_view name) {
  if (name.starts_with('/')) return false;
  while (!name.empty()) {
    const auto end = name.find('/');
    if (name.substr(0, end) == "..") return false;
    name = end == std::string_view::npos ? "" : name.substr(end + 1);
  }
  return true;
}

void refuse_outside(std::string_view other, const std::string& name) {
  if (!stays_in_folder(other))
    throw Error(Category::data, fmt::format("the data lies in another folder ({})", other), name,
                "all files in one folder, named without it");
}

/// Access properties for opening objects: external links are followed inside the folder only.
Hdf5Id dataset_access() {
  Hdf5Id access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  const H5L_elink_traverse_t allow = [](const char*, const char*, const char* child, const char*,
                                        unsigned*, hid_t, void*) -> herr_t {
    return stays_in_folder(child) ? 0 : -1;
  };
  H5Pset_elink_cb(access.get(), allow, nullptr);
  return access;
}

std::optional<Hdf5Type> type_of(hid_t dataset) {
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose);
  return type ? read_type(type.get()) : std::nullopt;
}

/// The shape, or none for a null dataspace.
std::optional<core::Shape> shape_of(hid_t dataset, const std::string& name) {
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  if (!space) throw_hdf5_error("the dataspace cannot be read", name);
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) return std::nullopt;
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  if (rank < 0 || H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) < 0)
    throw_hdf5_error("the shape cannot be read", name);
  core::Shape shape;
  std::int64_t bytes = 16;
  for (int i = 0; i < rank; ++i) {
    const hsize_t extent = extents[static_cast<std::size_t>(i)];
    shape.push_back(static_cast<std::int64_t>(extent));
    if (__builtin_mul_overflow(bytes, std::max<hsize_t>(extent, 1), &bytes))
      throw Error(Category::data, "the dataset has more bytes than 64 bits count", name);
  }
  return shape;
}

std::string filter_text(hid_t properties, unsigned index) {
  unsigned flags = 0, config = 0;
  std::array<unsigned, 8> values{};
  std::size_t value_count = values.size();
  std::array<char, 64> filter_name{};
  const H5Z_filter_t id = H5Pget_filter2(properties, index, &flags, &value_count, values.data(),
                                         filter_name.size() - 1, filter_name.data(), &config);
  switch (id) {
    case H5Z_FILTER_DEFLATE:
      return fmt::format("gzip {}", values[0]);
    case H5Z_FILTER_SHUFFLE:
      return "shuffle";
    case H5Z_FILTER_FLETCHER32:
      return "fletcher32";
    case H5Z_FILTER_SZIP:
      return "szip";
    case H5Z_FILTER_NBIT:
      return "nbit";
    case H5Z_FILTER_SCALEOFFSET:
      return "scaleoffset";
    case 32000:
      return "lzf";
    default:
      return fmt::format("filter {} {}", static_cast<int>(id), filter_name.data());
  }
}

void describe_storage(hid_t dataset, ArrayInfo& info) {
  const Hdf5Id properties(H5Dget_create_plist(dataset), H5Pclose);
  if (!properties) return;
  if (H5Pget_layout(properties.get()) == H5D_CHUNKED) {
    std::array<hsize_t, H5S_MAX_RANK> extents{};
    const int rank = H5Pget_chunk(properties.get(), H5S_MAX_RANK, extents.data());
    for (int i = 0; i < rank; ++i)
      info.chunks.push_back(static_cast<std::int64_t>(extents[static_cast<std::size_t>(i)]));
  }
  const int filters = H5Pget_nfilters(properties.get());
  for (int i = 0; i < filters; ++i)
    info.filters.push_back(filter_text(properties.get(), static_cast<unsigned>(i)));
  info.stored_bytes = H5Dget_storage_size(dataset);
}

/// The candidates of a message: all, or the first few of many.
std::string list_text(std::vector<std::string> paths) {
  constexpr std::size_t shown = 20;
  const std::size_t all = paths.size();
  if (all == 0) return "none holds numbers";
  paths.resize(std::min(all, shown));
  std::string text = fmt::format("{}", fmt::join(paths, ", "));
  return all > shown ? fmt::format("{}, and {} more", text, all - shown) : text;
}

std::string only_dataset(hid_t file, const std::string& name) {
  const std::vector<std::string> paths = list_datasets(file, name);
  if (paths.size() == 1) return paths[0];
  if (paths.empty()) throw Error(Category::data, "the file holds no dataset of numbers", name);
  throw Error(Category::usage, fmt::format("the file holds {} datasets", paths.size()), name,
              fmt::format("FILE:PATH with one of {}", list_text(paths)));
}

/// What is wrong with a path that H5Oopen could not open; `reason` is what it said.
[[noreturn]] void explain_missing(hid_t file, const std::string& path, const std::string& reason,
                                  const std::string& name) {
  const Hdf5Id access_list = dataset_access();
  for (auto end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (H5Lexists(file, part.c_str(), access_list.get()) <= 0) break;
    if (H5Oexists_by_name(file, part.c_str(), access_list.get()) <= 0)
      throw Error(
          Category::data,
          fmt::format("the link '{}' leads nowhere, or out of the folder ({})", part, reason),
          name);
    if (end == std::string::npos)
      throw Error(Category::data, fmt::format("'{}' cannot be opened ({})", part, reason), name);
  }
  H5Eclear2(H5E_DEFAULT);
  const auto near = core::nearest_first(path, list_datasets(file, name));
  throw Error(Category::data, fmt::format("there is no '{}' in the file", path), name,
              fmt::format("one of {}", list_text(near)));
}

void check_virtual(hid_t properties, const std::string& file, const std::string& name) {
  std::size_t count = 0;
  H5Pget_virtual_count(properties, &count);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<char, 4096> source{}, dataset{};
    if (H5Pget_virtual_filename(properties, i, source.data(), source.size()) < 0 ||
        H5Pget_virtual_dsetname(properties, i, dataset.data(), dataset.size()) < 0)
      throw_hdf5_error("the sources of the virtual dataset cannot be read", name);
    const std::string_view source_name = source.data();
    if (source_name == "." || source_name.find('%') != std::string_view::npos) continue;
    refuse_outside(source_name, name);
    // HDF5 itself would give the fill value where a source is missing.
    const std::string beside = folder_of(file) + "/" + source.data();
    const std::string path = access(beside.c_str(), R_OK) == 0 ? beside : source.data();
    const Hdf5Id access_list = hdf5_file_access(true);
    const Hdf5Id opened(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access_list.get()), H5Fclose);
    if (!opened || H5Oexists_by_name(opened.get(), dataset.data(), H5P_DEFAULT) <= 0)
      throw Error(Category::data,
                  fmt::format("a source of the virtual dataset is missing ({}:{})", source_name,
                              dataset.data()),
                  name);
  }
}

void check_external(hid_t properties, const std::string& name) {
  const int count = H5Pget_external_count(properties);
  for (int i = 0; i < count; ++i) {
    std::array<char, 4096> file{};
    if (H5Pget_external(properties, static_cast<unsigned>(i), file.size() - 1, file.data(), nullptr,
                        nullptr) < 0)
      throw_hdf5_error("the external files of the dataset cannot be read", name);
    refuse_outside(file.data(), name);
    if (access(file.data(), R_OK) != 0)
      throw Error(Category::data, fmt::format("an external file is missing ({})", file.data()),
                  name);
  }
}

}  // namespace

std::vector<std::string> list_datasets(hid_t file, const std::string& name) {
  std::vector<std::string> paths;
  const H5O_iterate_t visit = [](hid_t root, const char* path, const H5O_info_t* info,
                                 void* out) -> herr_t {
    if (info->type != H5O_TYPE_DATASET) return 0;
    const Hdf5Id dataset(H5Dopen2(root, path, H5P_DEFAULT), H5Dclose);
    const Hdf5Id space(dataset ? H5Dget_space(dataset.get()) : -1, H5Sclose);
    if (dataset && type_of(dataset.get()) && H5Sget_simple_extent_type(space.get()) != H5S_NULL)
      static_cast<std::vector<std::string>*>(out)->push_back(std::string("/").append(path));
    return 0;
  };
  // Every object once, by its address: links in a circle end.
  if (H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit, &paths, H5O_INFO_BASIC) < 0)
    throw_hdf5_error("the groups of the file cannot be read", name);
  return paths;
}

Hdf5Dataset open_dataset(hid_t file, std::string_view wanted, const std::string& name) {
  std::string path = wanted.empty() ? only_dataset(file, name) : std::string(wanted);
  if (!path.starts_with('/')) path.insert(path.begin(), '/');
  const Hdf5Id access_list = dataset_access();
  Hdf5Id object(H5Oopen(file, path.c_str(), access_list.get()), H5Oclose);
  if (!object) explain_missing(file, path, hdf5_reason(), name);
  if (H5Iget_type(object.get()) != H5I_DATASET)
    throw Error(Category::data, fmt::format("'{}' is a group, not a dataset", path), name,
                fmt::format("one of {}", list_text(list_datasets(file, name))));

  Hdf5Dataset dataset;
  dataset.id = std::move(object);
  const auto type = type_of(dataset.id.get());
  if (!type) {
    const Hdf5Id stored(H5Dget_type(dataset.id.get()), H5Tclose);
    throw Error(Category::data,
                fmt::format("the element type of '{}' is {}", path, type_name(stored.get())), name,
                "a dataset of numbers");
  }
  const auto shape = shape_of(dataset.id.get(), name);
  if (!shape)
    throw Error(Category::data, fmt::format("'{}' is empty (a null dataspace)", path), name);
  dataset.type = *type;
  dataset.info.path = path;
  dataset.info.dtype = type->dtype;
  dataset.info.big_endian = type->big_endian && core::dtype_bytes(type->dtype) > 1;
  dataset.info.shape = *shape;
  describe_storage(dataset.id.get(), dataset.info);
  return dataset;
}

void check_storage(const Hdf5Dataset& dataset, const std::string& name) {
  const Hdf5Id properties(H5Dget_create_plist(dataset.id.get()), H5Pclose);
  if (!properties) throw_hdf5_error("the dataset's properties cannot be read", name);
  const int filters = H5Pget_nfilters(properties.get());
  for (int i = 0; i < filters; ++i) {
    const H5Z_filter_t id = H5Pget_filter2(properties.get(), static_cast<unsigned>(i), nullptr,
                                           nullptr, nullptr, 0, nullptr, nullptr);
    if (H5Zfilter_avail(id) <= 0)
      throw Error(Category::data,
                  fmt::format("the dataset needs a filter that is not there ({})",
                              dataset.info.filters[static_cast<std::size_t>(i)]),
                  name, "HDF5_PLUGIN_PATH with the folder of its plugin");
  }
  std::array<char, 4096> file{};
  H5Fget_name(dataset.id.get(), file.data(), file.size());
  if (H5Pget_layout(properties.get()) == H5D_VIRTUAL)
    check_virtual(properties.get(), file.data(), name);
  check_external(properties.get(), name);
}

}  // namespace tt::io
