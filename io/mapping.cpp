#include "io/mapping.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "core/error.hpp"
#include "io/commit.hpp"

namespace tt::io {
namespace {

/// One mapping in the list that the handler walks. Entries are linked in front and never unlinked,
/// so a handler that interrupts any instruction meets a whole list; a closed mapping has end 0 and
/// its entry is used again.
struct Entry {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<const char*> name{nullptr};
  std::atomic<bool> taken{false};
  Entry* next = nullptr;
};

std::atomic<Entry*> entries{nullptr};
std::atomic<void (*)(const char*, const char*) noexcept> reporter{nullptr};

Entry* take_entry() {
  for (Entry* e = entries.load(); e; e = e->next)
    if (!e->taken.exchange(true)) return e;
  auto* fresh = new Entry;
  fresh->taken = true;
  fresh->next = entries.load();
  while (!entries.compare_exchange_weak(fresh->next, fresh)) {
  }
  return fresh;
}

void on_bus_error(int number, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Entry* e = entries.load(); e; e = e->next) {
    if (address < e->begin.load() || address >= e->end.load()) continue;
    report_fault("the file was cut while in use", e->name.load());
    remove_temporaries();
    _exit(static_cast<int>(core::Category::data));
  }
  signal(number,
         SIG_DFL);  // not a file of ours: the access faults again, and ends as it would have
}

void install_handler() {
  static const bool once = [] {
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  static_cast<void>(once);
}

}  // namespace

std::shared_ptr<const Mapping> Mapping::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw_io_error("cannot open the file", path, errno);
  const auto close_fd = [](const int* p) { ::close(*p); };
  const std::unique_ptr<const int, decltype(close_fd)> closer(&fd, close_fd);
  return of_descriptor(fd, path);
}

std::shared_ptr<const Mapping> Mapping::of_descriptor(int fd, const std::string& name) {
  return std::shared_ptr<const Mapping>(new Mapping(fd, name));
}

Mapping::Mapping(int fd, std::string name) : name_(std::move(name)) {
  struct stat status;
  if (fstat(fd, &status) != 0) throw_io_error("cannot read the file", name_, errno);
  if (S_ISDIR(status.st_mode)) throw_io_error("cannot read the file", name_, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw core::Error(core::Category::io, "not a regular file, so it cannot be mapped", name_);
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  if (bytes_ == 0) return;
  install_handler();
  void* data = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) throw_io_error("cannot map the file", name_, errno);
  data_ = static_cast<const std::byte*>(data);
  Entry* entry = take_entry();
  entry->name = name_.c_str();
  entry->begin = reinterpret_cast<std::uintptr_t>(data);
  entry->end = reinterpret_cast<std::uintptr_t>(data) + bytes_;
  entry_ = entry;
}

Mapping::~Mapping() {
  if (!data_) return;
  auto* entry = static_cast<Entry*>(entry_);
  entry->end = 0;
  entry->taken = false;
  munmap(const_cast<std::byte*>(data_), bytes_);
}

void set_fault_reporter(void (*report)(const char*, const char*) noexcept) {
  reporter = report;
}

void report_fault(const char* what, const char* file) noexcept {
  if (const auto report = reporter.load()) report(what, file);
}

}  // namespace tt::io
