// The one allocator of array data: aligned, counted, huge pages advised, checked against the limit
// of the command. First touch of fresh 4 KiB pages runs at 2 GB/s on the reference machine, slower
// than a copy, so large blocks are mapped on a 2 MiB boundary and advised huge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tt::core {

/// An owned block of bytes, aligned to at least 64, freed at the end of its life. Contents of a
/// fresh block: zero when `bytes` is at least `huge_page_bytes`, else unspecified.
class Buffer {
 public:
  static constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

  Buffer() = default;
  /// Throws Error(memory), naming `what` and the sizes, when the limit of the command or the
  /// machine does not allow it.
  explicit Buffer(std::size_t bytes, std::string_view what = "an array");
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Buffer();

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Bytes held by all Buffers now, and the most they ever held (`peak_alloc_bytes` of --stats).
std::uint64_t allocated_bytes();
std::uint64_t peak_allocated_bytes();

/// The most that all Buffers together may hold; 0 is no limit. Set once, before arrays are made.
void set_allocation_limit(std::uint64_t bytes);
std::uint64_t allocation_limit();

/// What the control group and the machine have free, in bytes: the default of --memory-limit.
std::uint64_t available_memory_bytes();

/// "14 MiB", "1.5 GiB", "812 bytes": for messages and the plan.
std::string size_text(std::uint64_t bytes);

}  // namespace tt::core
