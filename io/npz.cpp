// NPZ: ZIP archives of NPY arrays. Read through minizip over a mapping: stored members are used
// where they lie, deflated ones are inflated header first and then exactly the bytes the header
// asks for. Every member's checksum is proved before its numbers are used.
#include "io/npz.hpp"

#include <fmt/format.h>
#include <minizip/unzip.h>
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/commit.hpp"
#include "io/formats.hpp"
#include "io/mapping.hpp"
#include "io/npy_header.hpp"
#include "io/zip_writer.hpp"

namespace tt::io {
namespace {

using core::Category;
using core::DType;
using core::Error;

[[noreturn]] void refuse(std::string wrong, const std::string& name) {
  throw Error(Category::data, std::move(wrong), name, "a whole .npz archive");
}

// minizip's view of a file, over a region of memory.
struct Cursor {
  Region region;
  std::uint64_t at = 0;
};

Cursor* cursor(voidpf stream) {
  return static_cast<Cursor*>(stream);
}

uLong read_region(voidpf, voidpf stream, void* to, uLong bytes) {
  Cursor& c = *cursor(stream);
  const std::uint64_t now = std::min<std::uint64_t>(bytes, c.region.bytes - c.at);
  std::copy_n(c.region.data + c.at, now, static_cast<std::byte*>(to));
  c.at += now;
  return static_cast<uLong>(now);
}

long seek_region(voidpf, voidpf stream, ZPOS64_T offset, int origin) {
  Cursor& c = *cursor(stream);
  const std::uint64_t base = origin == ZLIB_FILEFUNC_SEEK_SET   ? 0
                             : origin == ZLIB_FILEFUNC_SEEK_CUR ? c.at
                                                                : c.region.bytes;
  const std::uint64_t target = base + offset;  // negative offsets wrap, as minizip means them
  if (target > c.region.bytes) return -1;
  c.at = target;
  return 0;
}

struct CloseArchive {
  void operator()(void* archive) const { unzClose(archive); }
};
using ArchiveHandle = std::unique_ptr<void, CloseArchive>;

/// minizip takes an archive for whole that ends inside its last record.
bool ends_whole(std::string_view archive) {
  constexpr std::size_t record_bytes = 22, comment_max = 65535;
  archive.remove_prefix(archive.size() - std::min(archive.size(), record_bytes + comment_max));
  const auto record = archive.rfind("PK\x05\x06");
  if (record == std::string_view::npos || archive.size() - record < record_bytes) return false;
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(archive[record + i])};
  };
  return archive.size() - record - record_bytes >= (byte(20) | byte(21) << 8);
}

ArchiveHandle open_archive(Region region, const std::string& name) {
  if (!ends_whole(region.text())) refuse("the ZIP directory is cut short", name);
  Cursor start{std::move(region), 0};
  zlib_filefunc64_def functions = {};
  functions.zopen64_file = [](voidpf opaque, const void*, int) -> voidpf {
    return new Cursor(*cursor(opaque));
  };
  functions.zread_file = read_region;
  functions.ztell64_file = [](voidpf, voidpf stream) -> ZPOS64_T { return cursor(stream)->at; };
  functions.zseek64_file = seek_region;
  functions.zclose_file = [](voidpf, voidpf stream) {
    delete cursor(stream);
    return 0;
  };
  functions.zerror_file = [](voidpf, voidpf) { return 0; };
  functions.opaque = &start;
  ArchiveHandle archive(unzOpen2_64("", &functions));
  if (!archive) refuse("the ZIP directory cannot be read", name);
  return archive;
}

/// One member as the directory has it.
struct Member {
  ZipMember zip;
  std::uint32_t flags = 0;
  unz64_file_pos position = {};

  /// The name an operand uses: "x" for "x.npy".
  std::string array_name() const {
    return is_array() ? zip.name.substr(0, zip.name.size() - 4) : zip.name;
  }
  bool is_array() const { return zip.name.ends_with(".npy"); }
};

Member current_member(unzFile archive, const std::string& name) {
  unz_file_info64 info;
  if (unzGetCurrentFileInfo64(archive, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK)
    refuse("the ZIP directory is damaged", name);
  Member member;
  member.zip.name.resize(info.size_filename);
  // minizip ends the text with a NUL only where there is room for one.
  if (unzGetCurrentFileInfo64(archive, &info, member.zip.name.data(), info.size_filename, nullptr,
                              0, nullptr, 0) != UNZ_OK ||
      unzGetFilePos64(archive, &member.position) != UNZ_OK)
    refuse("the ZIP directory is damaged", name);
  member.zip.method = static_cast<std::uint16_t>(info.compression_method);
  member.zip.crc = static_cast<std::uint32_t>(info.crc);
  member.zip.packed_bytes = info.compressed_size;
  member.zip.bytes = info.uncompressed_size;
  member.zip.dos_time = static_cast<std::uint32_t>(info.dosDate);
  member.flags = static_cast<std::uint32_t>(info.flag);
  return member;
}

std::vector<Member> list_members(unzFile archive, const std::string& name) {
  std::vector<Member> members;
  int status = unzGoToFirstFile(archive);
  for (; status == UNZ_OK; status = unzGoToNextFile(archive))
    members.push_back(current_member(archive, name));
  // minizip reports an archive without members as a damaged one.
  if (status != UNZ_END_OF_LIST_OF_FILE && !members.empty())
    refuse("the ZIP directory is damaged", name);
  return members;
}

/// A member opened for reading. What it holds is inflated as it is asked for.
class MemberReader final : public ByteReader {
 public:
  MemberReader(unzFile archive, const Member& member, std::string name)
      : archive_(archive), name_(std::move(name)) {
    if (unzGoToFilePos64(archive, &member.position) != UNZ_OK ||
        unzOpenCurrentFile(archive) != UNZ_OK)
      refuse("the member's header is damaged or of an unknown method", name_);
    offset_ = unzGetCurrentFileZStreamPos64(archive);
  }
  ~MemberReader() override { unzCloseCurrentFile(archive_); }
  MemberReader(const MemberReader&) = delete;

  void read(std::byte* to, std::size_t bytes) override {
    while (bytes > 0) {
      const auto want = static_cast<unsigned>(std::min(bytes, std::size_t{1} << 30));
      const int got = unzReadCurrentFile(archive_, to, want);
      if (got <= 0) refuse("the member is damaged or cut short", name_);
      to += got;
      bytes -= static_cast<std::size_t>(got);
    }
  }

  /// Throws unless the bytes read, which must be all there are, have the checksum of the directory.
  void prove() {
    if (unzCloseCurrentFile(archive_) == UNZ_CRCERROR)
      refuse("the member is damaged (its checksum differs)", name_);
  }

  /// Where the member's bytes begin in the archive.
  std::uint64_t offset() const { return offset_; }

 private:
  unzFile archive_;
  std::string name_;
  std::uint64_t offset_ = 0;
};

NpyHeader read_header(MemberReader& reader, const Member& member, const std::string& name) {
  if (member.zip.bytes < npy_prefix_bytes) refuse("the member is no NPY array", name);
  std::string header(npy_prefix_bytes, '\0');
  reader.read(reinterpret_cast<std::byte*>(header.data()), header.size());
  const std::size_t bytes = npy_header_bytes(header, name);
  if (bytes > member.zip.bytes) refuse("the NPY header is cut short", name);
  header.resize(bytes);
  reader.read(reinterpret_cast<std::byte*>(header.data()) + npy_prefix_bytes,
              bytes - npy_prefix_bytes);
  return parse_npy_header(header, name);
}

/// Refuses, before anything is allocated, members whose sizes contradict each other or the archive.
void check_sizes(const Member& member, const NpyHeader& header, std::uint64_t offset,
                 std::uint64_t archive_bytes, const std::string& name) {
  // Deflate makes at most 1032 bytes of one.
  constexpr std::uint64_t ratio_max = 1032;
  if (member.flags & 1) refuse("the member is encrypted", name);
  if (offset > archive_bytes || member.zip.packed_bytes > archive_bytes - offset)
    refuse("the member goes past the end of the archive", name);
  if (member.zip.bytes - header.bytes != header.info.stored_bytes)
    throw Error(Category::data, "the member's size contradicts its NPY header",
                fmt::format("{}, shape {} of {}", name, core::shape_text(header.info.shape),
                            core::dtype_name(header.info.dtype)),
                fmt::format("{} bytes of data, there are {}", header.info.stored_bytes,
                            member.zip.bytes - header.bytes));
  if (member.zip.method == 0 ? member.zip.bytes != member.zip.packed_bytes
                             : member.zip.bytes / ratio_max > member.zip.packed_bytes)
    refuse("the member claims more bytes than its packed ones can hold", name);
}

/// A deflated member: inflated at every load.
class DeflatedSource final : public Source {
 public:
  DeflatedSource(Region archive, Member member, NpyHeader header, std::string_view selection,
                 std::string name)
      : name_(std::move(name)),
        archive_(std::move(archive)),
        member_(std::move(member)),
        header_(std::move(header)),
        selection_(parse_selection(selection, header_.info.shape, name_)),
        shape_(selected_shape(selection_)) {}

  const std::string& name() const override { return name_; }
  const ArrayInfo& stored() const override { return header_.info; }
  const core::Shape& shape() const override { return shape_; }
  std::uint64_t load_bytes(DType as) const override { return elements_bytes(header_.info, as); }

  core::Tensor load(DType as) override {
    const ArchiveHandle archive = open_archive(archive_, name_);
    MemberReader reader(archive.get(), member_, name_);
    std::vector<std::byte> header(header_.bytes);
    reader.read(header.data(), header.size());
    core::Tensor all = read_elements(reader, header_.info, as, name_);
    reader.prove();
    return select(std::move(all), selection_);
  }

 private:
  std::string name_;
  Region archive_;
  Member member_;
  NpyHeader header_;
  Selection selection_;
  core::Shape shape_;
};

/// Of the members, the one that `wanted` names ("x" is "x.npy" or, failing that, "x"); the only
/// array when it is empty.
const Member& choose(const std::vector<Member>& members, std::string_view wanted,
                     const std::string& operand) {
  std::vector<std::string> arrays;
  const Member *only = nullptr, *exact = nullptr;
  for (const Member& member : members) {
    if (member.is_array() && member.array_name() == wanted) return member;
    if (member.zip.name == wanted) exact = &member;
    if (!member.is_array()) continue;
    arrays.push_back(member.array_name());
    only = &member;
  }
  if (!wanted.empty() && exact) return *exact;
  if (arrays.empty()) refuse("the archive holds no array", operand);
  if (!wanted.empty())
    throw Error(Category::data, fmt::format("the archive has no member '{}'", wanted), operand,
                fmt::format("one of {}", fmt::join(core::nearest_first(wanted, arrays), ", ")));
  if (arrays.size() > 1)
    throw Error(Category::usage, fmt::format("the archive holds {} arrays", arrays.size()), operand,
                fmt::format("FILE:NAME with one of {}", fmt::join(arrays, ", ")));
  return *only;
}

void check_crc(const Region& bytes, std::uint32_t expected, const std::string& name) {
  uLong crc = crc32_z(0, nullptr, 0);
  crc = crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data), bytes.bytes);
  if (crc != expected) refuse("the member is damaged (its checksum differs)", name);
}

/// Writes an archive beside the target; "c.npz:x" keeps the other members of an existing one.
class NpzSink final : public Sink {
 public:
  NpzSink(const std::string& file, std::string_view member, const SinkOptions& options)
      : name_(file), member_(member), file_(file, options.sync) {}

  void declare(std::vector<ResultInfo> results) override {
    if (!member_.empty() && results.size() > 1)
      throw Error(
          Category::usage,
          fmt::format("'{}' names one member, there are {} results", member_, results.size()),
          name_, "the file name alone, or --only with one result");
    for (const ResultInfo& result : results) {
      const std::string member = member_name(result.name);
      if (member.size() > 65535)
        throw Error(Category::usage, "the name of the member is too long", name_);
      results_.push_back(member);
    }
  }

  void write(std::string_view name, const core::ArrayRef& array) override {
    if (!started_) keep_others();
    started_ = true;
    const std::string header = format_npy_header(array.dtype, array.shape);
    uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(header.data()), header.size());
    for_each_block(array, [&](const void* data, std::size_t bytes) {
      crc = crc32_z(crc, static_cast<const Bytef*>(data), bytes);
    });
    ZipMember member;
    member.name = member_name(std::string(name));
    member.crc = static_cast<std::uint32_t>(crc);
    member.bytes = member.packed_bytes =
        header.size() + static_cast<std::uint64_t>(core::element_count(array.shape)) *
                            core::dtype_bytes(array.dtype);
    zip_.begin(member);
    zip_.data(header.data(), header.size());
    for_each_block(array, [&](const void* data, std::size_t bytes) { zip_.data(data, bytes); });
  }

  void commit() override {
    zip_.finish();
    file_.commit();
    lock_.reset();
  }

 private:
  std::string member_name(const std::string& result) const {
    return (member_.empty() ? result : member_) + ".npy";
  }

  /// Copies, packed as they are, the members that this command does not write.
  void keep_others() {
    if (member_.empty() || file_.straight()) return;
    lock_.emplace(file_.target());
    std::shared_ptr<const Mapping> old;
    try {
      old = Mapping::open(file_.target());
    } catch (const Error&) {
      return;  // no such file yet: a new archive
    }
    if (old->bytes() == 0) return;
    const Region region{old, old->data(), old->bytes()};
    const ArchiveHandle archive = open_archive(region, name_);
    for (const Member& member : list_members(archive.get(), name_)) {
      if (std::ranges::find(results_, member.zip.name) != results_.end()) continue;
      const std::uint64_t offset = MemberReader(archive.get(), member, name_).offset();
      if (offset > region.bytes || member.zip.packed_bytes > region.bytes - offset)
        refuse("a member goes past the end of the archive", name_);
      zip_.begin(member.zip);
      zip_.data(region.data + offset, member.zip.packed_bytes);
    }
  }

  std::string name_, member_;
  std::vector<std::string> results_;  // names of the members to be written
  PendingFile file_;
  std::optional<FolderLock> lock_;
  ZipWriter zip_{[this](const void* data, std::size_t bytes) { file_.write(data, bytes); }};
  bool started_ = false;
};

std::unique_ptr<Source> open_npz(const std::string& file, std::string_view member,
                                 std::string_view selection, const std::string& operand) {
  const auto mapping = Mapping::open(file);
  return open_npz_region({mapping, mapping->data(), mapping->bytes()}, member, selection, operand);
}

std::unique_ptr<Sink> create_npz(const std::string& file, std::string_view member,
                                 const SinkOptions& options) {
  return std::make_unique<NpzSink>(file, member, options);
}

FileInfo inspect_npz(const std::string& file) {
  const auto mapping = Mapping::open(file);
  return inspect_npz_region({mapping, mapping->data(), mapping->bytes()}, file);
}

constexpr std::string_view extensions[] = {".npz"};

}  // namespace

bool has_zip_magic(std::string_view first) {
  return first.starts_with("PK\x03\x04") || first.starts_with("PK\x05\x06");
}

std::unique_ptr<Source> open_npz_region(Region region, std::string_view wanted,
                                        std::string_view selection, const std::string& operand) {
  const ArchiveHandle archive = open_archive(region, operand);
  const std::vector<Member> members = list_members(archive.get(), operand);
  const Member& member = choose(members, wanted, operand);
  MemberReader reader(archive.get(), member, operand);
  NpyHeader header = read_header(reader, member, operand);
  const std::uint64_t offset = reader.offset();
  check_sizes(member, header, offset, region.bytes, operand);
  if (member.zip.method != 0)
    return std::make_unique<DeflatedSource>(std::move(region), member, std::move(header), selection,
                                            operand);
  Region stored = region.from(offset);
  stored.bytes = member.zip.bytes;
  const Region data = stored.from(header.bytes);
  return make_region_source(
      data, std::move(header.info), selection, operand,
      [stored, crc = member.zip.crc, operand] { check_crc(stored, crc, operand); });
}

FileInfo inspect_npz_region(Region region, const std::string& file) {
  FileInfo info{file, "npz", {}};
  const ArchiveHandle archive = open_archive(region, file);
  for (const Member& member : list_members(archive.get(), file)) {
    if (!member.is_array()) continue;
    MemberReader reader(archive.get(), member, file);
    ArrayInfo array =
        read_header(reader, member, fmt::format("{}:{}", file, member.array_name())).info;
    array.path = member.array_name();
    array.stored_bytes = member.zip.packed_bytes;
    if (member.zip.method != 0) array.filters = {"deflate"};
    info.members.push_back(std::move(array));
  }
  return info;
}

const Format npz_format = {"npz", extensions, has_zip_magic, open_npz, create_npz, inspect_npz};

}  // namespace tt::io
