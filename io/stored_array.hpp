// Arrays whose bytes lie as they are in memory or arrive one behind the other: what NPY files,
// members of archives, streams and contiguous datasets have in common once their headers are read.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "io/selection.hpp"
#include "io/source.hpp"

namespace tt::io {

/// A run of bytes that stays as long as `owner` does: a mapping, or what a stream held.
struct Region {
  std::shared_ptr<const void> owner;
  const std::byte* data = nullptr;
  std::uint64_t bytes = 0;

  std::string_view text() const { return {reinterpret_cast<const char*>(data), bytes}; }
  Region from(std::uint64_t offset) const { return {owner, data + offset, bytes - offset}; }
};

/// The strides of a stored array in elements: C or Fortran order.
core::Strides stored_strides(const ArrayInfo& info);

/// True when the stored byte order is not the machine's.
bool is_swapped(const ArrayInfo& info);

/// A source over elements that begin at `region`, all of them there. `check`, if any, runs once
/// before the first load (a checksum). The same dtype in native order is never copied.
std::unique_ptr<Source> make_region_source(Region region, ArrayInfo info,
                                           std::string_view selection, const std::string& name,
                                           std::function<void()> check = {});

/// Bytes in the order they arrive. `read` fills `to` or throws Error(data) when there are fewer.
class ByteReader {
 public:
  virtual ~ByteReader() = default;
  virtual void read(std::byte* to, std::size_t bytes) = 0;
};

/// What read_elements allocates.
std::uint64_t elements_bytes(const ArrayInfo& info, core::DType as);

/// All elements of an array, from a reader that stands at the first: converted into one buffer, in
/// the memory order of the stored array.
core::Tensor read_elements(ByteReader& reader, const ArrayInfo& info, core::DType as,
                           const std::string& name);

/// The selected part of a tensor; both share the owner.
core::Tensor select(core::Tensor tensor, const Selection& selection);

/// Calls sink(data, bytes) with the elements of `array` in C order, whatever its strides, in pieces
/// of a few MiB at most unless the array already lies that way.
void for_each_block(const core::ArrayRef& array,
                    const std::function<void(const void*, std::size_t)>& sink);

}  // namespace tt::io
