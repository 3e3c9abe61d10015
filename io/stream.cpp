#include "io/stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/commit.hpp"
#include "io/mapping.hpp"
#include "io/npy_header.hpp"
#include "io/npz.hpp"
#include "io/stored_array.hpp"

namespace tt::io {
namespace {

using core::Category;
using core::DType;
using core::Error;

/// A descriptor, closed at the end unless it is standard input.
class Descriptor {
 public:
  explicit Descriptor(const std::string& file)
      : fd_(is_standard_input(file) ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw_io_error("cannot open the file", file, errno);
  }
  ~Descriptor() {
    if (fd_ != STDIN_FILENO) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;

  int get() const { return fd_; }

 private:
  int fd_;
};

/// One stream of the command, shared by the operands that name it.
class Stream final : public ByteReader {
 public:
  Stream(const std::string& file, std::string name);

  const std::string& name() const { return name_; }
  bool is_npz() const { return !header_; }
  const NpyHeader& header() const { return *header_; }
  /// The bytes of an NPZ, or of a file that standard input was redirected from, at the array's
  /// data.
  const std::optional<Region>& region() const { return region_; }

  /// The data of an NPY, read on the first call and kept.
  const Region& raw();
  /// Reads the data of an NPY.
  void read(std::byte* to, std::size_t bytes) override;

  int sources = 0;  // how many operands name the stream

 private:
  std::size_t read_some(std::byte* to, std::size_t bytes);
  void map_file(std::uint64_t offset);
  void read_header(std::string prefix);
  void read_all(std::string_view prefix);

  std::string name_;
  Descriptor fd_;
  std::optional<NpyHeader> header_;
  std::optional<Region> region_;
  std::uint64_t data_read_ = 0;
};

Stream::Stream(const std::string& file, std::string name) : name_(std::move(name)), fd_(file) {
  struct stat status;
  if (fstat(fd_.get(), &status) != 0) throw_io_error("cannot read the stream", name_, errno);
  if (S_ISREG(status.st_mode)) {
    const off_t offset = lseek(fd_.get(), 0, SEEK_CUR);
    map_file(static_cast<std::uint64_t>(std::clamp<off_t>(offset, 0, status.st_size)));
    return;
  }
  std::string prefix(npy_prefix_bytes, '\0');
  prefix.resize(read_some(reinterpret_cast<std::byte*>(prefix.data()), prefix.size()));
  if (prefix.empty()) throw Error(Category::data, "the stream is empty", name_, "NPY or NPZ bytes");
  if (has_zip_magic(prefix)) {
    read_all(prefix);
  } else {
    read_header(std::move(prefix));
  }
}

void Stream::map_file(std::uint64_t offset) {
  const auto mapping = Mapping::of_descriptor(fd_.get(), name_);
  region_ = Region{mapping, mapping->data(), mapping->bytes()}.from(offset);
  if (region_->bytes == 0)
    throw Error(Category::data, "the stream is empty", name_, "NPY or NPZ bytes");
  if (has_zip_magic(region_->text())) return;
  header_ = parse_npy_header(region_->text(), name_);
  region_ = region_->from(header_->bytes);
  if (region_->bytes < header_->info.stored_bytes)
    throw Error(
        Category::data, "the stream is cut short", name_,
        fmt::format("{} bytes of data, there are {}", header_->info.stored_bytes, region_->bytes));
}

void Stream::read_header(std::string prefix) {
  const std::size_t bytes = npy_header_bytes(prefix, name_);
  const std::size_t start = prefix.size();
  prefix.resize(bytes);
  const std::size_t there =
      start + read_some(reinterpret_cast<std::byte*>(prefix.data()) + start, bytes - start);
  header_ = parse_npy_header(std::string_view(prefix).substr(0, there), name_);
}

void Stream::read_all(std::string_view prefix) {
  auto buffer = std::make_shared<core::Buffer>(std::size_t{1} << 20, name_);
  std::memcpy(buffer->data(), prefix.data(), prefix.size());
  std::size_t filled = prefix.size();
  for (;;) {
    filled += read_some(buffer->data() + filled, buffer->bytes() - filled);
    if (filled < buffer->bytes()) break;
    auto larger = std::make_shared<core::Buffer>(2 * buffer->bytes(), name_);
    std::memcpy(larger->data(), buffer->data(), filled);
    buffer = std::move(larger);
  }
  region_ = Region{buffer, buffer->data(), filled};
}

/// Up to `bytes`, fewer only at the end of the stream.
std::size_t Stream::read_some(std::byte* to, std::size_t bytes) {
  std::size_t filled = 0;
  while (filled < bytes) {
    const ssize_t now =
        ::read(fd_.get(), to + filled, std::min(bytes - filled, std::size_t{1} << 30));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) throw_io_error("cannot read the stream", name_, errno);
    if (now == 0) break;
    filled += static_cast<std::size_t>(now);
  }
  return filled;
}

void Stream::read(std::byte* to, std::size_t bytes) {
  const std::size_t there = read_some(to, bytes);
  data_read_ += there;
  if (there < bytes)
    throw Error(
        Category::data, "the stream is cut short", name_,
        fmt::format("{} bytes of data, there are {}", header_->info.stored_bytes, data_read_));
}

const Region& Stream::raw() {
  if (!region_) {
    const auto buffer = std::make_shared<core::Buffer>(header_->info.stored_bytes, name_);
    read(buffer->data(), buffer->bytes());
    region_ = Region{buffer, buffer->data(), buffer->bytes()};
  }
  return *region_;
}

/// An NPY from a pipe. A stream that one operand names is converted while it is read; one that
/// several name is kept as it came.
class StreamSource final : public Source {
 public:
  StreamSource(std::shared_ptr<Stream> stream, std::string_view selection, std::string name)
      : stream_(std::move(stream)),
        name_(std::move(name)),
        selection_text_(selection),
        selection_(parse_selection(selection, stored().shape, name_)),
        shape_(selected_shape(selection_)),
        first_(stream_->sources++ == 0) {}

  const std::string& name() const override { return name_; }
  const ArrayInfo& stored() const override { return stream_->header().info; }
  const core::Shape& shape() const override { return shape_; }

  std::uint64_t load_bytes(DType as) const override {
    if (alone()) return elements_bytes(stored(), as);
    const std::uint64_t raw = first_ ? stored().stored_bytes : 0;
    const bool copied = as != dtype() || is_swapped(stored());
    const auto count = static_cast<std::uint64_t>(core::element_count(shape_));
    return raw + (copied ? count * core::dtype_bytes(as) : 0);
  }

  core::Tensor load(DType as) override {
    if (alone() && !std::exchange(used_, true))
      return select(read_elements(*stream_, stored(), as, name_), selection_);
    return make_region_source(stream_->raw(), stored(), selection_text_, name_)->load(as);
  }

 private:
  bool alone() const { return stream_->sources == 1; }

  std::shared_ptr<Stream> stream_;
  std::string name_, selection_text_;
  Selection selection_;
  core::Shape shape_;
  bool first_, used_ = false;
};

/// The stream of that name while an operand still holds it; a pipe cannot be opened twice.
std::shared_ptr<Stream> shared_stream(const std::string& file, const std::string& name) {
  static std::vector<std::pair<std::string, std::weak_ptr<Stream>>> streams;
  const std::string key = is_standard_input(file) ? "-" : file;
  for (const auto& [known, held] : streams)
    if (known == key)
      if (auto stream = held.lock()) return stream;
  auto stream = std::make_shared<Stream>(file, name);
  streams.emplace_back(key, stream);
  return stream;
}

}  // namespace

bool is_standard_input(std::string_view file) {
  return file == "-" || file == "/dev/stdin" || file == "/dev/fd/0" || file == "/proc/self/fd/0";
}

std::unique_ptr<Source> open_stream(const std::string& file, std::string_view member,
                                    std::string_view selection, const std::string& operand) {
  auto stream = shared_stream(file, file == "-" ? "standard input" : operand);
  // Held by whoever holds its bytes, so that the next operand of that name finds it.
  const auto bytes = [&] {
    return Region{stream, stream->region()->data, stream->region()->bytes};
  };
  if (stream->is_npz()) return open_npz_region(bytes(), member, selection, operand);
  if (!member.empty())
    throw Error(Category::data,
                fmt::format("the stream is one NPY array, it has no member '{}'", member), operand);
  if (stream->region())
    return make_region_source(bytes(), stream->header().info, selection, operand);
  return std::make_unique<StreamSource>(std::move(stream), selection, operand);
}

FileInfo inspect_stream(const std::string& file) {
  const auto stream = shared_stream(file, file == "-" ? "standard input" : file);
  if (stream->is_npz()) return inspect_npz_region(*stream->region(), file);
  return {file, "npy", {stream->header().info}};
}

}  // namespace tt::io
