#include "io/zip_writer.hpp"

#include <algorithm>
#include <initializer_list>

namespace tt::io {
namespace {

// The records of APPNOTE.TXT, the specification of ZIP, sections 4.3 and 4.5. All numbers are
// little-endian; a 32-bit field that is too small is all ones and its value stands in a zip64
// record.
constexpr std::uint64_t full16 = 0xffff, full32 = 0xffffffff;
constexpr std::uint16_t version_plain = 20, version_zip64 = 45, host_unix = 3 << 8;
constexpr std::uint64_t data_alignment = 64;

void append(std::string& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> 8 * i & 255);
}

std::uint64_t clipped(std::uint64_t value) {
  return std::min(value, full32);
}

/// The zip64 record with those of the values that do not fit 32 bits; empty when all do.
std::string zip64_extra(std::initializer_list<std::uint64_t> values) {
  std::string body;
  for (const std::uint64_t value : values)
    if (value >= full32) append(body, value, 8);
  if (body.empty()) return {};
  std::string extra;
  append(extra, 1, 2);
  append(extra, body.size(), 2);
  return extra + body;
}

/// An extra record (0xd935, as Android's zipalign writes it) that moves what follows `position` to
/// the alignment.
std::string padding_extra(std::uint64_t position) {
  constexpr std::uint64_t record_bytes = 6;
  const std::uint64_t pad =
      (data_alignment - (position + record_bytes) % data_alignment) % data_alignment;
  std::string extra;
  append(extra, 0xd935, 2);
  append(extra, 2 + pad, 2);
  append(extra, data_alignment, 2);
  extra.append(pad, '\0');
  return extra;
}

/// The fields that the local header and the directory share, from `version needed` to `extra
/// length`.
void append_common(std::string& to, const ZipMember& member, bool zip64, std::size_t extra_bytes) {
  const bool ascii = std::ranges::all_of(member.name, [](char c) { return c >= 0; });
  append(to, zip64 ? version_zip64 : version_plain, 2);
  append(to, ascii ? 0 : 1 << 11, 2);  // bit 11: the name is UTF-8
  append(to, member.method, 2);
  append(to, member.dos_time, 4);
  append(to, member.crc, 4);
  append(to, clipped(member.packed_bytes), 4);
  append(to, clipped(member.bytes), 4);
  append(to, member.name.size(), 2);
  append(to, extra_bytes, 2);
}

}  // namespace

void ZipWriter::put(const std::string& bytes) {
  data(bytes.data(), bytes.size());
}

void ZipWriter::data(const void* bytes, std::size_t count) {
  write_(bytes, count);
  position_ += count;
}

void ZipWriter::begin(const ZipMember& member) {
  const std::uint64_t offset = position_;
  // A local zip64 record holds both sizes or neither.
  const bool large = std::max(member.bytes, member.packed_bytes) >= full32;
  std::string extra;
  if (large) {
    append(extra, 1, 2);
    append(extra, 16, 2);
    append(extra, member.bytes, 8);
    append(extra, member.packed_bytes, 8);
  }
  extra += padding_extra(position_ + 30 + member.name.size() + extra.size());
  ZipMember local = member;
  if (large) local.bytes = local.packed_bytes = full32;
  std::string header;
  append(header, 0x04034b50, 4);
  append_common(header, local, large, extra.size());
  put(header + member.name + extra);

  extra = zip64_extra({member.bytes, member.packed_bytes, offset});
  append(directory_, 0x02014b50, 4);
  append(directory_, host_unix | version_zip64, 2);
  append_common(directory_, member, !extra.empty(), extra.size());
  append(directory_, 0, 2);                             // comment
  append(directory_, 0, 2);                             // disk
  append(directory_, 0, 2);                             // internal attributes
  append(directory_, std::uint64_t{0100644} << 16, 4);  // a regular file of that mode
  append(directory_, clipped(offset), 4);
  directory_ += member.name + extra;
  ++members_;
}

void ZipWriter::finish() {
  const std::uint64_t start = position_;
  put(directory_);
  std::string end;
  if (members_ >= full16 || start >= full32 || directory_.size() >= full32) {
    append(end, 0x06064b50, 4);  // the zip64 end of the directory
    append(end, 44, 8);
    append(end, version_zip64, 2);
    append(end, version_zip64, 2);
    append(end, 0, 8);
    append(end, members_, 8);
    append(end, members_, 8);
    append(end, directory_.size(), 8);
    append(end, start, 8);
    append(end, 0x07064b50, 4);  // and where that is
    append(end, 0, 4);
    append(end, position_, 8);
    append(end, 1, 4);
  }
  append(end, 0x06054b50, 4);
  append(end, 0, 4);
  append(end, std::min(members_, full16), 2);
  append(end, std::min(members_, full16), 2);
  append(end, clipped(directory_.size()), 4);
  append(end, clipped(start), 4);
  append(end, 0, 2);
  put(end);
}

}  // namespace tt::io
