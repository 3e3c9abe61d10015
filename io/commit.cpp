#include "io/commit.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace tt::io {
namespace {

/// The paths of the temporaries of this process, for remove_temporaries.
std::array<std::atomic<char*>, 64> temporaries{};

/// Holds SIGINT and SIGTERM back while a temporary and its entry in the list do not agree.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

int remember(const std::string& path) {
  char* copy = strdup(path.c_str());
  for (std::size_t i = 0; copy && i < temporaries.size(); ++i) {
    char* none = nullptr;
    if (temporaries[i].compare_exchange_strong(none, copy)) return static_cast<int>(i);
  }
  free(copy);
  return -1;  // more at once than any command has: still removed by the destructor
}

void forget(int slot) {
  if (slot >= 0) free(temporaries[static_cast<std::size_t>(slot)].exchange(nullptr));
}

/// The path that a chain of symbolic links ends in; the last one need not exist.
std::string follow_links(std::string path, const std::string& name) {
  for (int hops = 0; hops < 40; ++hops) {
    char link[PATH_MAX];
    const ssize_t length = readlink(path.c_str(), link, sizeof link);
    if (length < 0) return path;  // no link, or not there: open will say
    std::string next(link, static_cast<std::size_t>(length));
    path = next.starts_with('/') ? next : folder_of(path) + "/" + next;
  }
  throw_io_error("cannot write the target", name, ELOOP);
}

bool same_file(int fd, const std::string& path) {
  struct stat open_file, named;
  return fstat(fd, &open_file) == 0 && lstat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/// Locks a whole file without waiting, for as long as the descriptor is open. Not flock, which HDF5
/// readers use: they must not find a result locked that has just come into its place.
bool lock_file(int fd) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return fcntl(fd, F_OFD_SETLK, &whole) == 0;
}

/// Every temporary is locked by its writer for as long as that lives, and the kernel drops the lock
/// with the process: a temporary that can be locked is stale. Process numbers would not do, they
/// are used again and mean nothing on another host. Removes it if it is stale and the user's own.
bool remove_stale(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat status;
  const bool stale = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                     status.st_uid == geteuid() && lock_file(fd) && same_file(fd, path) &&
                     unlink(path.c_str()) == 0;
  close(fd);
  return stale;
}

/// ".c.npy.tt-0.tmp" for "c.npy": within the 255 bytes a name may have.
std::string sibling_name(const std::string& target, int number) {
  const auto slash = target.rfind('/');
  const std::string name = slash == std::string::npos ? target : target.substr(slash + 1);
  return fmt::format("{}/.{}.tt-{}.tmp", folder_of(target), name.substr(0, 230), number);
}

}  // namespace

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void throw_io_error(std::string_view what, std::string_view path, int error) {
  throw core::Error(core::Category::io, fmt::format("{}: {}", what, std::strerror(error)),
                    std::string(path));
}

PendingFile::PendingFile(std::string target, bool sync) : name_(std::move(target)), sync_(sync) {
  signal(SIGXFSZ, SIG_IGN);  // a file beyond the size limit is an error of write, not a kill
  target_ = follow_links(name_, name_);
  struct stat status;
  const bool there = stat(name_.c_str(), &status) == 0;
  straight_ = name_ == "-" || (there && !S_ISREG(status.st_mode));
  if (straight_) {
    open_straight();
  } else if (there && faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) {
    throw_io_error("cannot write the target", name_, errno);
  } else {
    open_sibling();
  }
}

void PendingFile::open_straight() {
  path_ = name_;
  fd_ = name_ == "-" ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
                     : open(name_.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd_ < 0)
    throw_io_error("cannot write the target", name_ == "-" ? "standard output" : name_, errno);
}

void PendingFile::open_sibling() {
  int number = 0;
  for (;; ++number) {
    path_ = sibling_name(target_, number);
    const SignalsHeld held;
    fd_ = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0 && errno == EEXIST) {
      if (remove_stale(path_)) --number;  // the name is free now
      continue;
    }
    if (fd_ < 0) throw_io_error("cannot write the target", name_, errno);
    slot_ = remember(path_);
    // Another command may have taken the file for stale before it was locked; then the next name.
    const bool locked = lock_file(fd_) || (errno != EAGAIN && errno != EACCES);
    if (locked && same_file(fd_, path_)) break;
    forget(std::exchange(slot_, -1));
    close(std::exchange(fd_, -1));
  }
  // Commands that were killed while several wrote the target left higher numbers behind.
  while (remove_stale(sibling_name(target_, ++number))) {
  }
  keep_owner_and_mode();
}

void PendingFile::keep_owner_and_mode() {
  struct stat old, fresh;
  if (stat(target_.c_str(), &old) != 0 || fstat(fd_, &fresh) != 0) return;
  if (old.st_uid != fresh.st_uid || old.st_gid != fresh.st_gid) {
    // Where this is not allowed the new file belongs to who wrote it, as with any editor.
    if (fchown(fd_, old.st_uid, old.st_gid) != 0) errno = 0;
  }
  if (fchmod(fd_, old.st_mode & 07777) != 0)
    throw_io_error("cannot keep the mode of the target", name_, errno);
}

PendingFile::~PendingFile() {
  if (!straight_ && !committed_ && fd_ >= 0) unlink(path_.c_str());
  forget(slot_);
  if (fd_ >= 0) close(fd_);
}

void PendingFile::write(const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    // Linux writes at most 0x7ffff000 bytes a call.
    const ssize_t done = ::write(fd_, from, std::min(bytes, std::size_t{1} << 30));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0)
      throw_io_error("cannot write the result", name_ == "-" ? "standard output" : name_, errno);
    from += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void PendingFile::commit() {
  if (sync_ && fsync(fd_) != 0 && errno != EINVAL)
    throw_io_error("cannot write the result to disk", name_, errno);
  // Network file systems report a full disk only at a close; this one keeps our lock.
  const int copy = fcntl(fd_, F_DUPFD_CLOEXEC, 3);
  if (copy >= 0 && close(copy) != 0) throw_io_error("cannot write the result", name_, errno);
  if (straight_) return;
  {
    const SignalsHeld held;
    if (rename(path_.c_str(), target_.c_str()) != 0)
      throw_io_error("cannot replace the target", name_, errno);
    committed_ = true;
    forget(std::exchange(slot_, -1));
  }
  const int folder = sync_ ? open(folder_of(target_).c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

FolderLock::FolderLock(const std::string& file)
    : fd_(open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

void remove_temporaries() noexcept {
  for (const auto& path : temporaries)
    if (const char* name = path.load()) unlink(name);
}

}  // namespace tt::io
