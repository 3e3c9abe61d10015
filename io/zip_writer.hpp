// A ZIP archive written front to back, never looking behind: sizes and checksums are known before a
// member begins, so it can go to a pipe. The bytes follow from the members alone (no times), so the
// same command writes the same file, and data begins on multiples of 64 so that it can be mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tt::io {

/// What the directory of an archive says of one member.
struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t packed_bytes = 0, bytes = 0;
  std::uint32_t dos_time = 0x00210000;  // 1980-01-01, the earliest there is
};

class ZipWriter {
 public:
  /// `write` takes the bytes of the archive in order.
  explicit ZipWriter(std::function<void(const void*, std::size_t)> write)
      : write_(std::move(write)) {}

  /// Begins a member; exactly member.packed_bytes of data must follow.
  void begin(const ZipMember& member);
  void data(const void* bytes, std::size_t count);
  /// Writes the directory.
  void finish();

 private:
  void put(const std::string& bytes);

  std::function<void(const void*, std::size_t)> write_;
  std::uint64_t position_ = 0;
  std::string directory_;
  std::uint64_t members_ = 0;
};

}  // namespace tt::io
