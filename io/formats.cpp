#include "io/formats.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "io/commit.hpp"

namespace tt::io {
namespace {

constexpr const Format* list[] = {&npy_format, &npz_format, &hdf5_format};

}  // namespace

std::span<const Format* const> formats() {
  return list;
}

const Format* find_format_by_extension(std::string_view file) {
  for (const Format* format : list)
    for (const std::string_view extension : format->extensions)
      if (file.ends_with(extension)) return format;
  return nullptr;
}

const Format* find_format_by_magic(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw_io_error("cannot open the file", file, errno);
  char first[16];
  const ssize_t bytes = read(fd, first, sizeof first);
  const int error = errno;
  close(fd);
  if (bytes < 0) throw_io_error("cannot read the file", file, error);
  for (const Format* format : list)
    if (format->has_magic({first, static_cast<std::size_t>(bytes)})) return format;
  return nullptr;
}

std::string known_extensions() {
  std::string text;
  for (const Format* format : list)
    for (const std::string_view extension : format->extensions)
      text += (text.empty() ? "" : ", ") + std::string(extension);
  return text;
}

}  // namespace tt::io
