// Files that appear whole or not at all: written beside the target, then renamed. Temporaries go on
// destruction, on SIGINT and SIGTERM (remove_temporaries is safe in a signal handler) and, after a
// kill, when the next command writes the same target.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tt::io {

/// A file under way to `target`. Links are followed; a target that is no regular file (/dev/null, a
/// fifo) is written straight, and so is "-", standard output; an existing file's mode stays, a new
/// one gets 0666 & ~umask.
class PendingFile {
 public:
  /// Throws Error(io) naming the target: no such folder, no permission, a directory.
  explicit PendingFile(std::string target, bool sync = false);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;

  int fd() const { return fd_; }
  /// The file being written: a sibling of the target, or the target itself when it is no regular
  /// file.
  const std::string& path() const { return path_; }
  /// The file that `commit` replaces: the target with its links followed.
  const std::string& target() const { return target_; }
  bool straight() const { return straight_; }
  /// Throws Error(io) with the cause (no space, file size limit).
  void write(const void* data, std::size_t bytes);
  /// Puts the file in the target's place. Throws Error(io).
  void commit();

 private:
  void open_straight();
  void open_sibling();
  void keep_owner_and_mode();

  std::string name_, target_, path_;  // as typed; links followed; being written
  int fd_ = -1, slot_ = -1;
  bool straight_ = false, sync_ = false, committed_ = false;
};

/// Unlinks every temporary of this process. Async-signal-safe.
void remove_temporaries() noexcept;

/// Holds the folder of a file for one writer at a time, for results that are added to an existing
/// file: of two commands the second waits and then adds to what the first has written. The folder
/// is locked and not the file, which readers lock and commits replace. Where the file system knows
/// no locks, or the folder cannot be read, nothing is held.
class FolderLock {
 public:
  explicit FolderLock(const std::string& file);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;

 private:
  int fd_;
};

/// The folder of a path, "." when it has none.
std::string folder_of(const std::string& path);

/// The error of a failed system call: what failed, the path, strerror, with the category io.
[[noreturn]] void throw_io_error(std::string_view what, std::string_view path, int error);

}  // namespace tt::io
