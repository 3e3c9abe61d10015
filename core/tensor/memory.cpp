#include "core/tensor/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"

namespace tt::core {
namespace {

std::atomic<std::uint64_t> held{0};
std::atomic<std::uint64_t> most{0};
std::uint64_t limit = 0;

void count(std::uint64_t bytes, std::string_view what) {
  const std::uint64_t now = held.fetch_add(bytes) + bytes;
  if (limit && now > limit) {
    held.fetch_sub(bytes);
    throw Error(Category::memory, fmt::format("{} does not fit into the memory limit", what),
                fmt::format("{} on top of {}, the limit is {}", size_text(bytes),
                            size_text(now - bytes), size_text(limit)),
                "a larger --memory-limit");
  }
  std::uint64_t seen = most.load();
  while (seen < now && !most.compare_exchange_weak(seen, now)) {
  }
}

/// A mapping of `bytes` on a huge-page boundary: the surplus at both ends is given back.
std::byte* map_aligned(std::size_t bytes) {
  constexpr std::size_t align = Buffer::huge_page_bytes;
  if (bytes > std::numeric_limits<std::size_t>::max() - align) return nullptr;
  void* raw = mmap(nullptr, bytes + align, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t first = (address + align - 1) / align * align;
  const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t last = (first + bytes + page - 1) / page * page;
  if (first > address) munmap(raw, first - address);
  if (address + bytes + align > last)
    munmap(reinterpret_cast<void*>(last), address + bytes + align - last);
  auto* data = reinterpret_cast<std::byte*>(first);
  madvise(data, bytes, MADV_HUGEPAGE);  // advice: a kernel without huge pages ignores it
  return data;
}

/// A number from a file of one line, or none ("max", no such file).
std::uint64_t read_number(const std::string& path) {
  std::ifstream in(path);
  std::uint64_t value = 0;
  return in >> value ? value : std::numeric_limits<std::uint64_t>::max();
}

/// Free bytes of this process's control group and all above it (version 2, then 1).
std::uint64_t group_free_bytes() {
  std::uint64_t free = std::numeric_limits<std::uint64_t>::max();
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && controllers.find("memory") == std::string::npos) continue;
    std::string group = line.substr(second + 1);
    for (;;) {
      const std::string dir = unified ? "/sys/fs/cgroup" + group : "/sys/fs/cgroup/memory" + group;
      const std::uint64_t most_bytes =
          read_number(dir + (unified ? "/memory.max" : "/memory.limit_in_bytes"));
      const std::uint64_t used =
          read_number(dir + (unified ? "/memory.current" : "/memory.usage_in_bytes"));
      if (most_bytes != std::numeric_limits<std::uint64_t>::max() &&
          used != std::numeric_limits<std::uint64_t>::max())
        free = std::min(free, most_bytes > used ? most_bytes - used : 0);
      if (group.empty() || group == "/") break;
      group.resize(group.rfind('/'));
    }
  }
  return free;
}

}  // namespace

Buffer::Buffer(std::size_t bytes, std::string_view what) : bytes_(bytes) {
  if (bytes == 0) return;
  count(bytes, what);
  if (bytes >= huge_page_bytes) {
    data_ = map_aligned(bytes);
  } else {
    data_ = static_cast<std::byte*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  }
  if (!data_) {
    held.fetch_sub(bytes);
    bytes_ = 0;
    throw Error(Category::memory, fmt::format("no memory for {}", what), size_text(bytes),
                "smaller operands or a machine with more memory");
  }
}

Buffer::~Buffer() {
  if (!data_) return;
  if (bytes_ >= huge_page_bytes) {
    munmap(data_, bytes_);
  } else {
    std::free(data_);
  }
  held.fetch_sub(bytes_);
}

std::uint64_t allocated_bytes() {
  return held.load();
}
std::uint64_t peak_allocated_bytes() {
  return most.load();
}
void set_allocation_limit(std::uint64_t bytes) {
  limit = bytes;
}
std::uint64_t allocation_limit() {
  return limit;
}

std::uint64_t available_memory_bytes() {
  std::uint64_t machine = std::numeric_limits<std::uint64_t>::max();
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key;) {
    std::uint64_t kib = 0;
    if (key == "MemAvailable:" && meminfo >> kib) machine = kib * 1024;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::min(machine, group_free_bytes());
}

std::string size_text(std::uint64_t bytes) {
  static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  if (unit == 0) return fmt::format("{} bytes", bytes);
  return fmt::format("{:.4g} {}", value, units[unit]);
}

}  // namespace tt::core
