// A count of finished tasks that others wait for, inside one section of Exec::for_tasks.
#pragma once

#include <atomic>
#include <cstdint>

namespace tt::core {

/// Starts at 0. Free of deadlock as long as a task waits only for tasks with lower numbers, which
/// for_tasks claims first. Accesses: (1) advance: fetch_add, release, by the member that finished a
/// task; (2) wait_for: load, acquire, by members that need what (1) wrote before it.
class alignas(64) Progress {
 public:
  void advance(std::int64_t count = 1) { done_.fetch_add(count, std::memory_order_release); }

  /// Returns when at least `target` tasks have advanced: spins briefly, then gives the core away.
  void wait_for(std::int64_t target) const;

 private:
  std::atomic<std::int64_t> done_{0};
};

}  // namespace tt::core
