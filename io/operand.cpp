#include "io/operand.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>

#include "core/error.hpp"
#include "io/commit.hpp"
#include "io/formats.hpp"
#include "io/generated.hpp"
#include "io/stream.hpp"

namespace tt::io {
namespace {

using core::Category;
using core::Error;

/// "file:member[selection]" taken apart; the parts may be empty.
struct Parts {
  std::string file, member, selection;
};

enum class Found { nothing, folder, regular, other };

Found look_at(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return Found::nothing;
  if (S_ISDIR(status.st_mode)) return Found::folder;
  return S_ISREG(status.st_mode) ? Found::regular : Found::other;
}

/// What stands behind the file: ":member", "[selection]", both or nothing. The last bracket is the
/// selection, so that a member may have brackets in its name.
Parts split_suffix(std::string_view text, std::size_t file_length) {
  Parts parts{std::string(text.substr(0, file_length)), {}, {}};
  std::string_view rest = text.substr(file_length);
  const auto bracket = rest.ends_with(']') ? rest.rfind('[') : rest.find('[');
  if (bracket != std::string_view::npos) {
    parts.selection = rest.substr(bracket);
    rest = rest.substr(0, bracket);
  }
  if (rest.starts_with(':')) rest.remove_prefix(1);
  parts.member = rest;
  return parts;
}

/// Calls fits(prefix) for the whole text and every prefix that ends before one of `separators`, the
/// longest first; the length of the first that fits.
template <class Fits>
std::optional<std::size_t> longest_prefix(std::string_view text, std::string_view separators,
                                          Fits&& fits) {
  for (auto end = text.size();;) {
    if (end > 0 && fits(std::string(text.substr(0, end)))) return end;
    const auto at = end == 0 ? std::string_view::npos : text.find_last_of(separators, end - 1);
    if (at == std::string_view::npos) return std::nullopt;
    end = at;
  }
}

/// The shortest prefix that ends in a known extension, for files that are not there (yet).
std::optional<std::size_t> prefix_with_extension(std::string_view text,
                                                 std::string_view separators) {
  std::optional<std::size_t> shortest;
  longest_prefix(text, separators, [&](const std::string& prefix) {
    if (find_format_by_extension(prefix)) shortest = prefix.size();
    return false;
  });
  return shortest;
}

Parts parse_operand(std::string_view text) {
  if (text == "-" || text.starts_with("-:") || text.starts_with("-[")) return split_suffix(text, 1);
  const auto is_file = [](const std::string& path) {
    const Found found = look_at(path);
    return found == Found::regular || found == Found::other;
  };
  if (const auto length = longest_prefix(text, ":[", is_file)) return split_suffix(text, *length);
  return split_suffix(text, prefix_with_extension(text, ":[").value_or(text.size()));
}

const Format& format_of_existing(const std::string& file) {
  // What the bytes say goes before what the name says: a wrong extension is a common mistake.
  if (const Format* format = find_format_by_magic(file)) return *format;
  if (const Format* format = find_format_by_extension(file)) return *format;
  throw Error(Category::data, "neither name nor content tell the format of the file", file,
              fmt::format("one of {}", known_extensions()));
}

Parts parse_target(std::string_view text) {
  if (is_standard_input(text) || text == "/dev/stdout" || text == "/dev/fd/1") return {"-", {}, {}};
  const auto is_known = [](const std::string& path) {
    const Found found = look_at(path);
    return found == Found::other || (found == Found::regular && find_format_by_extension(path));
  };
  auto length = longest_prefix(text, ":", is_known);
  if (!length) length = prefix_with_extension(text, ":");
  if (!length)
    throw Error(Category::usage, "the extension of the target is not known", std::string(text),
                fmt::format("one of {}", known_extensions()));
  Parts parts{std::string(text.substr(0, *length)), {}, {}};
  if (*length < text.size()) parts.member = text.substr(*length + 1);
  return parts;
}

/// A target that is a stream: NPY for one result, NPZ for several. It is opened only when that is
/// known, for closing a pipe and opening it again would end it for its reader.
class StreamSink final : public Sink {
 public:
  StreamSink(std::string file, const SinkOptions& options)
      : file_(std::move(file)), options_(options) {
    const bool is_open = file_ == "-" ? fcntl(STDOUT_FILENO, F_GETFD) != -1
                                      : faccessat(AT_FDCWD, file_.c_str(), W_OK, AT_EACCESS) == 0;
    if (!is_open)
      throw_io_error("cannot write the target", file_ == "-" ? "standard output" : file_, errno);
  }

  void declare(std::vector<ResultInfo> results) override {
    const Format& format = results.size() == 1 ? npy_format : npz_format;
    sink_ = format.create(file_, {}, options_);
    sink_->declare(std::move(results));
  }
  void write(std::string_view name, const core::ArrayRef& array) override {
    sink_->write(name, array);
  }
  void commit() override { sink_->commit(); }

 private:
  std::string file_;
  SinkOptions options_;
  std::unique_ptr<Sink> sink_;
};

}  // namespace

std::unique_ptr<Source> open_operand(std::string_view text) {
  const std::string operand(text);
  if (text.starts_with('@')) {
    const auto bracket = text.find('[');
    const auto body = text.substr(0, bracket);
    return open_generated(body, text.substr(body.size()));
  }
  if (text.empty()) throw Error(Category::usage, "an operand is an empty text", "''", "a file");
  const Parts parts = parse_operand(text);
  const bool is_stream = is_standard_input(parts.file) || look_at(parts.file) == Found::other;
  if (is_stream) return open_stream(parts.file, parts.member, parts.selection, operand);
  if (look_at(parts.file) == Found::folder)
    throw_io_error("cannot read the file", parts.file, EISDIR);
  return format_of_existing(parts.file).open(parts.file, parts.member, parts.selection, operand);
}

std::vector<std::string> read_operand_list(const std::string& path) {
  errno = 0;
  std::ifstream in(path);
  std::vector<std::string> operands;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.find_first_not_of(" \t") != std::string::npos) operands.push_back(line);
  }
  if (!in.is_open() || in.bad())
    throw_io_error("cannot read the list of operands", path, errno ? errno : EIO);
  return operands;
}

std::unique_ptr<Sink> open_target(std::string_view text, const SinkOptions& options) {
  const Parts parts = parse_target(text);
  const bool is_stream = parts.file == "-" || look_at(parts.file) == Found::other;
  const Format* format = is_stream ? nullptr : find_format_by_extension(parts.file);
  if (format != &hdf5_format && (options.compress || !options.chunks.empty() || options.in_place))
    throw Error(Category::usage, "--compress, --chunks and --in-place are for HDF5 targets",
                std::string(text), "an .h5 target");
  if (is_stream) return std::make_unique<StreamSink>(parts.file, options);
  return format->create(parts.file, parts.member, options);
}

FileInfo inspect(const std::string& file) {
  const Parts parts = parse_operand(file);
  if (is_standard_input(parts.file) || look_at(parts.file) == Found::other)
    return inspect_stream(parts.file);
  if (look_at(parts.file) == Found::folder)
    throw_io_error("cannot read the file", parts.file, EISDIR);
  return format_of_existing(parts.file).inspect(parts.file);
}

}  // namespace tt::io
