// HDF5 files for reading. Contiguous data is mapped straight from the file, everything else is read
// by hyperslab: only the selection, in slabs of whole chunks where elements must be converted.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "io/convert.hpp"
#include "io/formats.hpp"
#include "io/hdf5_base.hpp"
#include "io/hdf5_dataset.hpp"
#include "io/hdf5_info.hpp"
#include "io/hdf5_sink.hpp"
#include "io/mapping.hpp"
#include "io/selection.hpp"
#include "io/stored_array.hpp"

namespace tt::io {
namespace {

using core::Category;
using core::DType;
using core::Error;

/// A selection with positive steps, as HDF5 needs it: what runs backwards is read forwards and then
/// viewed backwards.
Selection forwards(Selection selection) {
  for (AxisSelection& axis : selection) {
    if (axis.step > 0) continue;
    axis.first += (axis.count - 1) * axis.step;
    axis.step = -axis.step;
  }
  return selection;
}

/// The array of all that was read (one axis of it per stored axis) as the selection shows it.
core::ArrayRef as_selected(core::ArrayRef read, const Selection& selection) {
  Selection view;
  for (const AxisSelection& axis : selection) {
    const bool backwards = axis.step < 0;
    view.push_back({backwards ? axis.count - 1 : 0, backwards ? -1 : 1, axis.count, axis.dropped});
  }
  return select(read, view);
}

class Hdf5Source final : public Source {
 public:
  Hdf5Source(std::string file, ArrayInfo info, std::string_view selection, std::string name)
      : file_(std::move(file)),
        name_(std::move(name)),
        info_(std::move(info)),
        selection_(parse_selection(selection, info_.shape, name_)),
        shape_(selected_shape(selection_)) {
    for (const AxisSelection& axis : selection_) read_shape_.push_back(axis.count);
  }

  const std::string& name() const override { return name_; }
  const ArrayInfo& stored() const override { return info_; }
  const core::Shape& shape() const override { return shape_; }

  std::uint64_t load_bytes(DType as) const override {
    const auto count = static_cast<std::uint64_t>(core::element_count(read_shape_));
    return count * core::dtype_bytes(as) + (as == info_.dtype ? 0 : slab_bytes());
  }

  core::Tensor load(DType as) override {
    const auto buffer = std::make_shared<core::Buffer>(
        static_cast<std::size_t>(core::element_count(read_shape_)) * core::dtype_bytes(as), name_);
    const core::MutableArrayRef all{buffer->data(), as, read_shape_, core::c_strides(read_shape_)};
    if (core::element_count(read_shape_) > 0) fill(all);
    return {buffer, as_selected(all, selection_)};
  }

 private:
  void fill(const core::MutableArrayRef& all) const {
    // Opened again: a command may have more operands than it may have open files.
    const Hdf5Guard guard(file_);
    const Hdf5Id file = open_hdf5(file_, name_);
    const Hdf5Dataset dataset = open_dataset(file.get(), info_.path, name_);
    if (dataset.info.shape != info_.shape || dataset.info.dtype != info_.dtype)
      throw Error(Category::data, "the dataset changed while it was in use", name_);
    check_storage(dataset, name_);
    auto* to = static_cast<std::byte*>(all.data);
    if (all.dtype == info_.dtype) return read(dataset, forwards(selection_), to);
    read_slabs(dataset, all);
  }

  /// Reads rows of the first axis slab by slab and converts each.
  void read_slabs(const Hdf5Dataset& dataset, const core::MutableArrayRef& all) const {
    const core::Buffer slab(slab_bytes(), name_);
    Selection part = forwards(selection_);
    core::MutableArrayRef to = all;
    const std::int64_t rows = part.empty() ? 1 : part[0].count, step = slab_rows();
    const auto row_bytes = static_cast<std::int64_t>(core::dtype_bytes(all.dtype)) *
                           (core::element_count(read_shape_) / rows);
    const std::int64_t first = part.empty() ? 0 : part[0].first;
    for (std::int64_t row = 0; row < rows; row += step) {
      if (!part.empty()) {
        part[0].first = first + row * part[0].step;
        to.shape[0] = part[0].count = std::min(step, rows - row);
      }
      read(dataset, part, slab.data());
      to.data = static_cast<std::byte*>(all.data) + row * row_bytes;
      convert({slab.data(), info_.dtype, false, to.shape, core::c_strides(to.shape)}, to, name_);
    }
  }

  /// Rows of the selection that are read at once: some MiB, and whole chunks.
  std::int64_t slab_rows() const {
    if (selection_.empty()) return 1;
    constexpr std::int64_t enough_bytes = std::int64_t{4} << 20;
    const std::int64_t rows = std::max<std::int64_t>(selection_[0].count, 1);
    const std::int64_t row_bytes =
        std::max<std::int64_t>(core::element_count(read_shape_) / rows *
                                   static_cast<std::int64_t>(core::dtype_bytes(info_.dtype)),
                               1);
    const std::int64_t chunk = info_.chunks.empty() ? 1 : info_.chunks[0];
    const std::int64_t wanted = std::max<std::int64_t>(enough_bytes / row_bytes, 1);
    return std::min(rows, (wanted + chunk - 1) / chunk * chunk);
  }

  std::uint64_t slab_bytes() const {
    if (core::element_count(read_shape_) == 0) return 0;
    const std::int64_t rows = selection_.empty() ? 1 : selection_[0].count;
    return static_cast<std::uint64_t>(core::element_count(read_shape_) / rows * slab_rows()) *
           core::dtype_bytes(info_.dtype);
  }

  void read(const Hdf5Dataset& dataset, const Selection& part, std::byte* to) const {
    std::vector<hsize_t> first, step, count;
    for (const AxisSelection& axis : part) {
      first.push_back(static_cast<hsize_t>(axis.first));
      step.push_back(static_cast<hsize_t>(axis.step));
      count.push_back(static_cast<hsize_t>(axis.count));
    }
    const Hdf5Id file_space(H5Dget_space(dataset.id.get()), H5Sclose);
    const Hdf5Id to_space(H5Screate_simple(static_cast<int>(part.size()), count.data(), nullptr),
                          H5Sclose);
    const Hdf5Id stored(H5Dget_type(dataset.id.get()), H5Tclose);
    const Hdf5Id type = memory_type(stored.get(), info_.dtype);
    const bool selected =
        part.empty() || H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, first.data(),
                                            step.data(), count.data(), nullptr) >= 0;
    if (!selected || H5Dread(dataset.id.get(), type.get(), to_space.get(), file_space.get(),
                             H5P_DEFAULT, to) < 0)
      throw_hdf5_error("the dataset cannot be read", name_);
  }

  std::string file_, name_;
  ArrayInfo info_;
  Selection selection_;
  core::Shape shape_;
  core::Shape read_shape_;  // with the axes that an integer drops
};

/// Where contiguous data without filters lies in its file, when it can be used as it is.
std::optional<Region> map_contiguous(const Hdf5Dataset& dataset, const std::string& name) {
  const Hdf5Id properties(H5Dget_create_plist(dataset.id.get()), H5Pclose);
  if (!dataset.type.plain || H5Pget_layout(properties.get()) != H5D_CONTIGUOUS ||
      H5Pget_external_count(properties.get()) > 0)
    return std::nullopt;
  const haddr_t offset = H5Dget_offset(dataset.id.get());
  if (offset == HADDR_UNDEF) return std::nullopt;  // never written: the fill value
  const std::uint64_t bytes = elements_bytes(dataset.info, dataset.info.dtype);
  std::vector<char> file(4096);
  const ssize_t length = H5Fget_name(dataset.id.get(), file.data(), file.size());
  if (length < 0 || static_cast<std::size_t>(length) >= file.size()) return std::nullopt;
  const auto mapping = Mapping::open(file.data());
  if (offset > mapping->bytes() || bytes > mapping->bytes() - offset)
    throw Error(
        Category::data, "the dataset goes past the end of the file", name,
        fmt::format("{} bytes at offset {}, the file has {}", bytes, offset, mapping->bytes()));
  return Region{mapping, mapping->data(), mapping->bytes()}.from(offset);
}

std::unique_ptr<Source> open_file(const std::string& file, std::string_view member,
                                  std::string_view selection, const std::string& operand) {
  const Hdf5Guard guard(file);
  const Hdf5Id opened = open_hdf5(file, operand);
  Hdf5Dataset dataset = open_dataset(opened.get(), member, operand);
  check_storage(dataset, operand);
  if (auto region = map_contiguous(dataset, operand))
    return make_region_source(std::move(*region), std::move(dataset.info), selection, operand);
  return std::make_unique<Hdf5Source>(file, std::move(dataset.info), selection, operand);
}

constexpr std::string_view extensions[] = {".h5", ".hdf5", ".hdf", ".nc"};

}  // namespace

const Format hdf5_format = {
    "hdf5",
    extensions,
    [](std::string_view first) { return first.starts_with("\x89HDF\r\n\x1a\n"); },
    open_file,
    create_hdf5_sink,
    inspect_hdf5,
};

}  // namespace tt::io
