#include "io/stored_array.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "io/convert.hpp"

namespace tt::io {
namespace {

using core::DType;

/// The alignment the elements of a view need: that of one part of a complex number.
std::size_t alignment(DType dtype) {
  return core::dtype_bytes(dtype) / (core::is_complex(dtype) ? 2 : 1);
}

class RegionSource final : public Source {
 public:
  RegionSource(Region region, ArrayInfo info, std::string_view selection, const std::string& name,
               std::function<void()> check)
      : name_(name), info_(std::move(info)), region_(std::move(region)), check_(std::move(check)) {
    const Selection chosen = parse_selection(selection, info_.shape, name_);
    part_ = io::select({region_.data, info_.dtype, info_.shape, stored_strides(info_)}, chosen);
  }

  const std::string& name() const override { return name_; }
  const ArrayInfo& stored() const override { return info_; }
  const core::Shape& shape() const override { return part_.shape; }

  std::uint64_t load_bytes(DType as) const override {
    if (usable_as(as)) return 0;
    return static_cast<std::uint64_t>(core::element_count(part_.shape)) * core::dtype_bytes(as);
  }

  core::Tensor load(DType as) override {
    if (check_) std::exchange(check_, {})();
    if (usable_as(as)) return {region_.owner, part_};
    const auto buffer = std::make_shared<core::Buffer>(load_bytes(as), name_);
    core::MutableArrayRef to{buffer->data(), as, part_.shape,
                             dense_strides_like(part_.shape, part_.strides)};
    convert({static_cast<const std::byte*>(part_.data), part_.dtype, is_swapped(info_), part_.shape,
             part_.strides},
            to, name_);
    return {buffer, to};
  }

 private:
  /// True when the bytes can be used where they are.
  bool usable_as(DType as) const {
    return as == info_.dtype && !is_swapped(info_) &&
           reinterpret_cast<std::uintptr_t>(region_.data) % alignment(as) == 0;
  }

  std::string name_;
  ArrayInfo info_;
  Region region_;
  core::ArrayRef part_;
  std::function<void()> check_;
};

}  // namespace

core::Strides stored_strides(const ArrayInfo& info) {
  return info.fortran_order ? core::fortran_strides(info.shape) : core::c_strides(info.shape);
}

bool is_swapped(const ArrayInfo& info) {
  return info.big_endian != (std::endian::native == std::endian::big) &&
         core::dtype_bytes(info.dtype) > 1;
}

std::unique_ptr<Source> make_region_source(Region region, ArrayInfo info,
                                           std::string_view selection, const std::string& name,
                                           std::function<void()> check) {
  return std::make_unique<RegionSource>(std::move(region), std::move(info), selection, name,
                                        std::move(check));
}

std::uint64_t elements_bytes(const ArrayInfo& info, DType as) {
  return static_cast<std::uint64_t>(core::element_count(info.shape)) * core::dtype_bytes(as);
}

core::Tensor read_elements(ByteReader& reader, const ArrayInfo& info, DType as,
                           const std::string& name) {
  const auto buffer = std::make_shared<core::Buffer>(elements_bytes(info, as), name);
  const core::Tensor tensor{buffer, {buffer->data(), as, info.shape, stored_strides(info)}};
  const auto count = static_cast<std::size_t>(core::element_count(info.shape));
  if (as == info.dtype) {
    reader.read(buffer->data(), buffer->bytes());
    if (is_swapped(info)) swap_bytes(buffer->data(), as, count);
    return tensor;
  }
  const std::size_t from_bytes = core::dtype_bytes(info.dtype), to_bytes = core::dtype_bytes(as);
  std::vector<std::byte> piece(std::min<std::size_t>(count, std::size_t{1} << 14) * from_bytes);
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = std::min(count - done, piece.size() / from_bytes);
    reader.read(piece.data(), now * from_bytes);
    const auto extent = static_cast<std::int64_t>(now);
    convert({piece.data(), info.dtype, is_swapped(info), {extent}, {1}},
            {buffer->data() + done * to_bytes, as, {extent}, {1}}, name);
    done += now;
  }
  return tensor;
}

core::Tensor select(core::Tensor tensor, const Selection& selection) {
  return {std::move(tensor.owner), select(tensor.ref, selection)};
}

void for_each_block(const core::ArrayRef& array,
                    const std::function<void(const void*, std::size_t)>& sink) {
  constexpr std::size_t block_bytes = std::size_t{4} << 20;
  const std::size_t item = core::dtype_bytes(array.dtype);
  const auto count = static_cast<std::size_t>(core::element_count(array.shape));
  if (count == 0) return;
  if (core::is_c_contiguous(array.shape, array.strides)) return sink(array.data, count * item);

  // As many rows of the first axis as fit a block (so that columns are read by whole cache lines);
  // rows that do not fit are cut further.
  const std::int64_t rows = array.shape[0];
  const std::size_t row_bytes = count / static_cast<std::size_t>(rows) * item;
  const auto step = static_cast<std::int64_t>(std::max<std::size_t>(block_bytes / row_bytes, 1));
  core::ArrayRef part = array;
  std::vector<std::byte> block;
  for (std::int64_t first = 0; first < rows; first += step) {
    part.data = static_cast<const std::byte*>(array.data) +
                first * array.strides[0] * static_cast<std::int64_t>(item);
    part.shape[0] = std::min(step, rows - first);
    if (part.shape[0] == 1 && row_bytes > block_bytes) {
      for_each_block({part.data,
                      part.dtype,
                      {part.shape.begin() + 1, part.shape.end()},
                      {part.strides.begin() + 1, part.strides.end()}},
                     sink);
      continue;
    }
    block.resize(static_cast<std::size_t>(part.shape[0]) * row_bytes);
    convert({static_cast<const std::byte*>(part.data), part.dtype, false, part.shape, part.strides},
            {block.data(), part.dtype, part.shape, core::c_strides(part.shape)}, "a result");
    sink(block.data(), block.size());
  }
}

}  // namespace tt::io
