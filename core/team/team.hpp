// The team: one OpenMP parallel region held open around the computing phase. Member 0 is the
// caller; the others wait on slots of their own and run what is published to them. It supports one
// pattern, a function run by a contiguous range of members and joined by the first of them; ranges
// that do not overlap may do so at the same time (the halves of a join). It refuses queues and
// stealing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace tt::core {

class Team {
 public:
  /// Opens a region of at most `width` members and runs body(team) on member 0 while the others
  /// wait; the true size is size(). With `tasks_only` the others run OpenMP tasks instead (the pool
  /// token). `cpus` pins member i to cpus[i]; empty: no pinning. No thread is left when it returns.
  /// An exception of the body reaches the caller.
  static void run(int width, bool tasks_only, const std::vector<int>& cpus,
                  const std::function<void(Team&)>& body);

  int size() const { return size_; }

  using Share = void (*)(void* context, int member);

  /// Runs share(context, member) on every member of [leader, leader + count), the caller being
  /// `leader`, and returns when all are done. A share must not throw.
  void dispatch(int leader, int count, Share share, void* context);

  /// As dispatch, but the caller runs `own` while member `other` alone runs `share`.
  void pair(int leader, int other, Share share, Share own, void* context);

  /// True when a member of the range has parked: the next section pays for waking it.
  bool parked(int first, int count) const;

 private:
  /// What one member waits on, and what its leader waits on. Accesses:
  /// (1) share, context, leader_cpu: written by the publisher before (2), read by the member after
  ///     (3).
  /// (2) generation: increment, seq_cst, by the publisher. (3) load, acquire, by the member.
  /// (4) parked: store 1, seq_cst, by the member before it looks at generation a last time and
  ///     sleeps; load, seq_cst, by the publisher after (2). One of the two sees the other.
  /// (5) finished: set to the generation, seq_cst, by the member when its share is done; load,
  ///     acquire, by the leader. `waiting` is to finished what parked is to generation.
  /// Nothing here is the leader's own, so that a leader may dispatch while a pair is under way.
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> generation{0};
    std::atomic<std::uint32_t> parked{0};
    Share share = nullptr;
    void* context = nullptr;
    int leader_cpu = -1;
    alignas(64) std::atomic<std::uint32_t> finished{0};
    std::atomic<std::uint32_t> waiting{0};
  };

  Team(int size, std::int64_t spin_ns, bool pinned);
  void publish(int member, Share share, void* context);
  void wake(int member);
  void join(int member);
  void member_loop(int member);
  void close();

  int size_;
  std::int64_t spin_ns_;
  bool pinned_;
  std::vector<Slot> slots_;
};

}  // namespace tt::core
