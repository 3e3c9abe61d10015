// Files mapped for reading, and what happens when one is cut while in use: the kernel then sends
// SIGBUS at the page that is gone, and a handler that knows the mappings ends the process with one
// message instead of a crash. Mapped pages are the file's own: nothing is allocated, nothing is
// copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace tt::io {

/// A regular file, whole, read-only, for the life of the object. An empty file has null data.
class Mapping {
 public:
  /// Throws Error(io) naming the path: no such file, no permission, a directory, not a regular
  /// file.
  static std::shared_ptr<const Mapping> open(const std::string& path);
  /// The regular file behind an open descriptor, which stays open. `name` is for messages.
  static std::shared_ptr<const Mapping> of_descriptor(int fd, const std::string& name);
  ~Mapping();
  Mapping(const Mapping&) = delete;

  const std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

 private:
  Mapping(int fd, std::string name);

  std::string name_;
  const std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  void* entry_ = nullptr;
};

/// What tells the user of a fault that ends the process, as a mapped file cut while in use: `what`
/// went wrong with `file`. Called in a signal handler: it may only do what is async-signal-safe.
/// Afterwards temporaries are removed and the process ends with status 4.
void set_fault_reporter(void (*report)(const char* what, const char* file) noexcept);

/// Calls the reporter, if one is set. Async-signal-safe.
void report_fault(const char* what, const char* file) noexcept;

}  // namespace tt::io
