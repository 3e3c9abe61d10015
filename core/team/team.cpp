#include "core/team/team.hpp"

#include <linux/futex.h>
#include <omp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <optional>

#include "core/team/fence.hpp"
#include "core/team/spin.hpp"

namespace tt::core {
namespace {

using Clock = std::chrono::steady_clock;

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, seen, nullptr,
          nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, 1, nullptr,
          nullptr, 0);
}

/// Spins until done() or `ns` have passed; true when done.
template <class Done>
bool spin_until(Done done, std::int64_t ns) {
  constexpr int looks_per_clock = 64;
  const auto end = Clock::now() + std::chrono::nanoseconds(ns);
  do {
    for (int i = 0; i < looks_per_clock; ++i) {
      if (done()) return true;
      pause_cpu();
    }
  } while (Clock::now() < end);
  return done();
}

/// How long members spin before they park: a few sections' gap where every member has a core of its
/// own; almost nothing where they share cores and a spinning one would keep another from its work.
/// Guessed, below the bound of 1 ms.
std::int64_t spin_ns_for(int members) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  return !known || CPU_COUNT(&allowed) >= members ? 200'000 : 2'000;
}

/// Pins the calling thread to one CPU, and gives back the mask it had.
class Pinned {
 public:
  explicit Pinned(int cpu) {
    if (cpu < 0 || cpu >= CPU_SETSIZE) return;
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    active_ = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~Pinned() {
    if (active_) sched_setaffinity(0, sizeof before_, &before_);
  }
  Pinned(const Pinned&) = delete;

 private:
  cpu_set_t before_;
  bool active_ = false;
};

/// The CPU that a member starts on where nothing is pinned: the member-th of the mask behind the
/// leader's. -1: no choice.
int start_cpu(int leader_cpu, int member) {
  cpu_set_t allowed;
  if (leader_cpu < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  if (CPU_COUNT(&allowed) < 2 || !CPU_ISSET(leader_cpu, &allowed)) return -1;
  int cpu = leader_cpu;
  for (int left = member; left > 0;) {
    cpu = (cpu + 1) % CPU_SETSIZE;
    if (CPU_ISSET(cpu, &allowed)) --left;
  }
  return cpu;
}

}  // namespace

Team::Team(int size, std::int64_t spin_ns, bool pinned)
    : size_(size), spin_ns_(spin_ns), pinned_(pinned), slots_(static_cast<std::size_t>(size)) {}

void Team::run(int width, bool tasks_only, const std::vector<int>& cpus,
               const std::function<void(Team&)>& body) {
  std::exception_ptr failure;
  Team* team = nullptr;
  omp_set_dynamic(0);
  const std::int64_t spin_ns = spin_ns_for(width);
  const int leader_cpu = sched_getcpu();
  release_fence();
#pragma omp parallel num_threads(width)
  {
    acquire_fence();
    const int member = omp_get_thread_num();
    {
      const bool pins = !cpus.empty();
      const Pinned pinned(pins ? cpus[static_cast<std::size_t>(member) % cpus.size()] : -1);
      // A thread starts where its creator runs, and the kernel may leave two that spin on one core
      // for many milliseconds while another is free: all are apart when the barrier opens.
      std::optional<Pinned> apart;
      if (!pins) apart.emplace(start_cpu(leader_cpu, member));
      if (member == 0) team = new Team(omp_get_num_threads(), spin_ns, pins);
      release_fence();
#pragma omp barrier
      acquire_fence();
      apart.reset();
      if (member == 0) {
        try {
          body(*team);
        } catch (...) {
          failure = std::current_exception();
        }
        if (!tasks_only) team->close();
      } else if (!tasks_only) {
        team->member_loop(member);
      }
    }
    release_fence();
  }
  acquire_fence();
  delete team;
  omp_pause_resource_all(omp_pause_hard);
  if (failure) std::rethrow_exception(failure);
}

void Team::publish(int member, Share share, void* context) {
  Slot& slot = slots_[static_cast<std::size_t>(member)];
  slot.share = share;
  slot.context = context;
  slot.leader_cpu = sched_getcpu();
  slot.generation.fetch_add(1);
}

void Team::wake(int member) {
  Slot& slot = slots_[static_cast<std::size_t>(member)];
  if (slot.parked.load()) futex_wake(slot.generation);
}

void Team::dispatch(int leader, int count, Share share, void* context) {
  for (int m = leader + 1; m < leader + count; ++m) publish(m, share, context);
  for (int m = leader + 1; m < leader + count; ++m) wake(m);
  share(context, leader);
  for (int m = leader + 1; m < leader + count; ++m) join(m);
}

void Team::pair(int leader, int other, Share share, Share own, void* context) {
  publish(other, share, context);
  wake(other);
  own(context, leader);
  join(other);
}

bool Team::parked(int first, int count) const {
  for (int m = first; m < first + count; ++m)
    if (slots_[static_cast<std::size_t>(m)].parked.load(std::memory_order_relaxed)) return true;
  return false;
}

void Team::join(int member) {
  Slot& slot = slots_[static_cast<std::size_t>(member)];
  const std::uint32_t wanted = slot.generation.load(std::memory_order_relaxed);
  const auto done = [&] { return slot.finished.load(std::memory_order_acquire) == wanted; };
  while (!spin_until(done, spin_ns_)) {
    slot.waiting.store(1);
    if (const std::uint32_t seen = slot.finished.load(); seen != wanted)
      futex_wait(slot.finished, seen);
    slot.waiting.store(0);
  }
}

void Team::member_loop(int member) {
  Slot& slot = slots_[static_cast<std::size_t>(member)];
  for (std::uint32_t seen = 0;; ++seen) {
    const auto published = [&] { return slot.generation.load(std::memory_order_acquire) != seen; };
    bool slept = false;
    while (!spin_until(published, spin_ns_)) {
      slot.parked.store(1);
      if (slot.generation.load() == seen) futex_wait(slot.generation, seen);
      slot.parked.store(0);
      slept = true;
    }
    if (!slot.share) return;
    // A thread that is woken may be put on the CPU of the one that woke it, and stay there.
    if (slept && !pinned_ && sched_getcpu() == slot.leader_cpu)
      const Pinned apart(start_cpu(slot.leader_cpu, member));
    slot.share(slot.context, member);
    slot.finished.store(seen + 1);
    if (slot.waiting.load()) futex_wake(slot.finished);
  }
}

void Team::close() {
  for (int m = 1; m < size_; ++m) {
    publish(m, nullptr, nullptr);
    wake(m);
  }
}

}  // namespace tt::core
