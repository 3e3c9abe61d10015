#include "io/hdf5_sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "io/commit.hpp"
#include "io/convert.hpp"
#include "io/hdf5_base.hpp"
#include "io/hdf5_type.hpp"

namespace tt::io {
namespace {

using core::Category;
using core::Error;

[[noreturn]] void throw_write_error(std::string wrong, const std::string& name) {
  const std::string reason = hdf5_reason();
  if (!reason.empty()) wrong += " (" + reason + ")";
  throw Error(Category::io, std::move(wrong), name);
}

bool has_bytes(const std::string& file) {
  struct stat status;
  return stat(file.c_str(), &status) == 0 && status.st_size > 0;
}

/// All of `from` into the empty file `to`: shared where the file system can, else copied inside the
/// kernel.
void copy_file(const std::string& from, int to, const std::string& name) {
  const int fd = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw_io_error("cannot read the target", name, errno);
  bool done = ioctl(to, FICLONE, fd) == 0;
  for (ssize_t now = 1; !done && now > 0;) {
    now = copy_file_range(fd, nullptr, to, nullptr, std::size_t{1} << 30, 0);
    if (now < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
      now = sendfile(to, fd, nullptr, std::size_t{1} << 30);
    if (now < 0 && errno == EINTR) now = 1;
    if (now < 0) {
      const int error = errno;
      close(fd);
      throw_io_error("cannot copy the target", name, error);
    }
  }
  close(fd);
}

/// Chunks for a compressed dataset without --chunks: about 1 MiB, the last axes whole.
core::Shape default_chunks(const core::Shape& shape, std::size_t item_bytes) {
  core::Shape chunks = shape;
  for (std::int64_t& extent : chunks) extent = std::max<std::int64_t>(extent, 1);
  for (std::int64_t& extent : chunks) {
    const std::int64_t rest =
        core::element_count(chunks) / extent * static_cast<std::int64_t>(item_bytes);
    extent = std::clamp<std::int64_t>((std::int64_t{1} << 20) / rest, 1, extent);
  }
  return chunks;
}

std::vector<hsize_t> extents_of(const core::Shape& shape) {
  return {shape.begin(), shape.end()};
}

class Hdf5Sink final : public Sink {
 public:
  Hdf5Sink(const std::string& file, std::string_view member, const SinkOptions& options)
      : name_(file), member_(member), options_(options) {
    if (member_.empty() || member_.front() != '/') member_.insert(member_.begin(), '/');
    if (options_.compress && (*options_.compress < 0 || *options_.compress > 9))
      throw Error(Category::usage, fmt::format("there is no --compress {}", *options_.compress),
                  file, "a level from 0 to 9");
    if (options_.in_place && has_bytes(file)) {
      if (access(file.c_str(), W_OK) != 0) throw_io_error("cannot write the target", file, errno);
      signal(SIGXFSZ, SIG_IGN);  // as PendingFile does
      return;
    }
    pending_.emplace(file, options.sync);
    if (pending_->straight())
      throw Error(Category::io, "HDF5 cannot be written to a stream", file,
                  "an .npy or .npz target");
  }

  void declare(std::vector<ResultInfo> results) override {
    for (const ResultInfo& result : results) {
      std::string path = member_;
      if (results.size() > 1 || member_.ends_with('/')) {
        if (!path.ends_with('/')) path += '/';
        path += result.name;
      }
      paths_.emplace_back(result.name, path);
      check_chunks(result);
    }
    // Found out now, before anything is computed; what others write meanwhile is found out later.
    if (!has_bytes(name_)) return;
    const Hdf5Guard guard(name_);
    const Hdf5Id file = open_hdf5(name_, name_);
    for (const auto& [result, path] : paths_) check_path(file.get(), path);
  }

  void write(std::string_view name, const core::ArrayRef& array) override {
    const Hdf5Guard guard(name_);
    if (!file_) open_file();
    const auto entry = std::ranges::find(paths_, name, &std::pair<std::string, std::string>::first);
    const std::string& path = entry->second;
    check_path(file_.get(), path);
    const Hdf5Id dataset =
        same_dataset(path, array) ? open_dataset(path) : create_dataset(path, array);
    if (!dataset) throw_write_error(fmt::format("'{}' cannot be made", path), name_);
    write_data(dataset.get(), array);
  }

  void commit() override {
    const Hdf5Guard guard(name_);
    if (file_ && (H5Fflush(file_.get(), H5F_SCOPE_GLOBAL) < 0 || !file_.close()))
      throw_write_error("cannot write the result", name_);
    if (pending_) pending_->commit();
    lock_.reset();
  }

 private:
  void check_chunks(const ResultInfo& result) const {
    const core::Shape& chunks = options_.chunks;
    if (chunks.empty()) return;
    const bool fits = chunks.size() == result.shape.size() &&
                      std::ranges::all_of(chunks, [](std::int64_t extent) { return extent > 0; });
    if (!fits)
      throw Error(
          Category::usage,
          fmt::format("--chunks {} do not fit the result {} of shape {}", core::shape_text(chunks),
                      result.name, core::shape_text(result.shape)),
          name_, "one positive extent per axis");
  }

  /// Refuses paths that lead through a dataset, or end at a group.
  void check_path(hid_t file, const std::string& path) const {
    for (auto end = path.find('/', 1);; end = path.find('/', end + 1)) {
      const bool last = end == std::string::npos;
      const std::string part = path.substr(0, end);
      if (part.size() > 1 && H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0) break;
      const Hdf5Id object(H5Oopen(file, part.c_str(), H5P_DEFAULT), H5Oclose);
      const bool is_group = object && H5Iget_type(object.get()) == H5I_GROUP;
      if (last && is_group)
        throw Error(Category::data, fmt::format("'{}' is a group already", part), name_,
                    "another path");
      if (last) break;
      if (!is_group)
        throw Error(Category::data,
                    fmt::format("'{}' is no group, so '{}' cannot be in it", part, path), name_,
                    "another path");
    }
    H5Eclear2(H5E_DEFAULT);
  }

  void open_file() {
    start_hdf5();
    const bool in_place = !pending_;
    const std::string& target = in_place ? name_ : pending_->target();
    lock_.emplace(target);
    const std::string& path = in_place ? name_ : pending_->path();
    // The copy is ours alone; the file itself may be locked by a reader.
    const Hdf5Id access = hdf5_file_access(in_place);
    const bool exists = has_bytes(target);
    if (exists && !in_place) copy_file(target, pending_->fd(), name_);
    file_ = exists ? Hdf5Id(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), H5Fclose)
                   : Hdf5Id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
                            H5Fclose);
    if (!file_) throw_write_error("cannot write the target", name_);
  }

  Hdf5Id open_dataset(const std::string& path) const {
    return {H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose};
  }

  /// True when a dataset of that shape and type is there whose data can simply be written over.
  bool same_dataset(const std::string& path, const core::ArrayRef& array) const {
    if (options_.compress || !options_.chunks.empty()) return false;
    const Hdf5Id dataset = open_dataset(path);
    if (!dataset) {
      H5Eclear2(H5E_DEFAULT);
      return false;
    }
    const Hdf5Id type(H5Dget_type(dataset.get()), H5Tclose);
    const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
    const Hdf5Id properties(H5Dget_create_plist(dataset.get()), H5Pclose);
    const Hdf5Id wanted = file_type(array.dtype);
    std::vector<hsize_t> extents(array.shape.size());
    return H5Tequal(type.get(), wanted.get()) > 0 &&
           H5Sget_simple_extent_type(space.get()) != H5S_NULL &&
           H5Sget_simple_extent_ndims(space.get()) == static_cast<int>(extents.size()) &&
           H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) >= 0 &&
           extents == extents_of(array.shape) && H5Pget_layout(properties.get()) != H5D_VIRTUAL &&
           H5Pget_external_count(properties.get()) == 0;
  }

  Hdf5Id create_dataset(const std::string& path, const core::ArrayRef& array) const {
    if (H5Lexists(file_.get(), path.c_str(), H5P_DEFAULT) > 0 &&
        H5Ldelete(file_.get(), path.c_str(), H5P_DEFAULT) < 0)
      throw_write_error(fmt::format("'{}' cannot be replaced", path), name_);
    const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.get(), 1);
    const Hdf5Id properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_obj_track_times(properties.get(), 0);  // the same command writes the same bytes
    set_storage(properties.get(), array);
    const Hdf5Id type = file_type(array.dtype);
    const std::vector<hsize_t> extents = extents_of(array.shape);
    const Hdf5Id space(extents.empty() ? H5Screate(H5S_SCALAR)
                                       : H5Screate_simple(static_cast<int>(extents.size()),
                                                          extents.data(), nullptr),
                       H5Sclose);
    return {H5Dcreate2(file_.get(), path.c_str(), type.get(), space.get(), links.get(),
                       properties.get(), H5P_DEFAULT),
            H5Dclose};
  }

  /// Contiguous, unless chunks or compression are asked for; a scalar has neither.
  void set_storage(hid_t properties, const core::ArrayRef& array) const {
    const bool chunked = options_.compress || !options_.chunks.empty();
    if (!chunked || array.shape.empty()) {
      H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);  // every element is written
      return;
    }
    core::Shape chunks = options_.chunks;
    if (chunks.empty()) chunks = default_chunks(array.shape, core::dtype_bytes(array.dtype));
    // A fixed extent may not be below its chunk.
    for (std::size_t i = 0; i < chunks.size(); ++i)
      chunks[i] = std::min(chunks[i], std::max<std::int64_t>(array.shape[i], 1));
    H5Pset_chunk(properties, static_cast<int>(chunks.size()), extents_of(chunks).data());
    if (!options_.compress) return;
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, static_cast<unsigned>(*options_.compress));
  }

  void write_data(hid_t dataset, const core::ArrayRef& array) const {
    const std::int64_t count = core::element_count(array.shape);
    if (count == 0) return;
    const Hdf5Id type = file_type(array.dtype);
    if (core::is_c_contiguous(array.shape, array.strides)) {
      if (H5Dwrite(dataset, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, array.data) < 0)
        throw_write_error("cannot write the result", name_);
      return;
    }
    // Rows of the first axis, put in C order some MiB at a time.
    const auto item = static_cast<std::int64_t>(core::dtype_bytes(array.dtype));
    const std::int64_t row_bytes = count / array.shape[0] * item;
    const std::int64_t step = std::max<std::int64_t>((std::int64_t{4} << 20) / row_bytes, 1);
    const core::Buffer block(static_cast<std::size_t>(std::min(step, array.shape[0]) * row_bytes),
                             "a block of a result");
    const Hdf5Id file_space(H5Dget_space(dataset), H5Sclose);
    core::ArrayRef rows = array;
    std::vector<hsize_t> first(array.shape.size(), 0);
    for (std::int64_t row = 0; row < array.shape[0]; row += step) {
      first[0] = static_cast<hsize_t>(row);
      rows.shape[0] = std::min(step, array.shape[0] - row);
      rows.data = static_cast<const std::byte*>(array.data) + row * array.strides[0] * item;
      convert(
          {static_cast<const std::byte*>(rows.data), rows.dtype, false, rows.shape, rows.strides},
          {block.data(), rows.dtype, rows.shape, core::c_strides(rows.shape)}, name_);
      const std::vector<hsize_t> extents = extents_of(rows.shape);
      const Hdf5Id space(
          H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
      if (H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, first.data(), nullptr,
                              extents.data(), nullptr) < 0 ||
          H5Dwrite(dataset, type.get(), space.get(), file_space.get(), H5P_DEFAULT, block.data()) <
              0)
        throw_write_error("cannot write the result", name_);
    }
  }

  std::string name_, member_;
  SinkOptions options_;
  std::vector<std::pair<std::string, std::string>> paths_;  // result, path
  std::optional<PendingFile> pending_;                      // none with --in-place
  std::optional<FolderLock> lock_;
  Hdf5Id file_;
};

}  // namespace

std::unique_ptr<Sink> create_hdf5_sink(const std::string& file, std::string_view member,
                                       const SinkOptions& options) {
  return std::make_unique<Hdf5Sink>(file, member, options);
}

}  // namespace tt::io
