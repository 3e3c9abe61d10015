// The token: a small value that a kernel is handed. It says what a dispatch costs here (kind,
// budget), decides gates, and runs the tasks of a region on the members it stands for. The team
// behind it is team.hpp's. Where no team is open (or in a dry run) the same calls run serially, or
// not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/trace/buffer.hpp"
#include "core/trace/gate.hpp"

namespace tt::core {

class Team;

/// How a command plans and runs: everything a token needs, settled once by cli.
struct ExecSettings {
  TokenKind kind = TokenKind::team;
  int threads = 1;      // what there is: the requested width
  int plan_budget = 1;  // what is planned for (--plan-threads, else threads)
  Pays pays;
  ParOverrides overrides;
  const HostClass* host = nullptr;
  std::vector<int> member_cpus;  // the CPU of each member (--bind); empty: not pinned
  bool trace = false;            // keep records
  bool dry = false;              // decide and record, run nothing
};

/// A decision and, when tracing, its record.
struct Decision {
  bool parallel = false;
  int width = 1;
  std::int64_t saving_ns = 0;  // estimate - (sections * D(width) + estimate / width), 0 when serial
  Record* record = nullptr;
};

class Session;

class Exec {
 public:
  /// A token that runs everything on the caller and records nothing.
  static Exec serial();

  /// Decides the gate, records it when tracing, and adds up what a team would save.
  Decision decide(const Gate& gate) const;

  /// Runs fn(first, last, member) over [0, tasks) in contiguous pieces of at most `grain`, on up to
  /// decision.width members, and returns when all are done. Pieces are claimed in ascending order,
  /// so a task may wait for one with a lower number (progress.hpp). `member` indexes scratch space:
  /// it is below member_limit(). An exception of one piece reaches the caller after the section;
  /// the team survives. In a dry run nothing is called.
  template <class Fn>
  void for_tasks(const Decision& decision, std::int64_t tasks, Fn&& fn,
                 std::int64_t grain = 1) const {
    using Body = std::remove_reference_t<Fn>;
    run_tasks(
        decision, tasks, grain,
        [](void* body, std::int64_t first, std::int64_t last, int member) {
          (*static_cast<Body*>(body))(first, last, member);
        },
        const_cast<void*>(static_cast<const void*>(std::addressof(fn))));
  }

  /// Runs f(Exec) and g(Exec) at the same time, each with half of the members, when the gate (a
  /// fixed width of 2) pays; else one after the other with this token.
  template <class F, class G>
  void join(const Gate& gate, F&& f, G&& g) const {
    using FBody = std::remove_reference_t<F>;
    using GBody = std::remove_reference_t<G>;
    run_join(
        decide(gate), [](void* body, const Exec& exec) { (*static_cast<FBody*>(body))(exec); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))),
        [](void* body, const Exec& exec) { (*static_cast<GBody*>(body))(exec); },
        const_cast<void*>(static_cast<const void*>(std::addressof(g))));
  }

  /// The token for the body of a composite gate: this one with the decision's width as its budget,
  /// or the serial token; one level deeper.
  Exec inside(const Decision& decision) const;

  /// The same token at a named place of the command's logical tree ("step", 3). The name is a
  /// literal; `node` must outlive the token that is returned.
  struct PathNode {
    const PathNode* parent = nullptr;
    const char* name = "";
    std::int64_t index = -1;
  };
  Exec at(PathNode& node, const char* name, std::int64_t index = -1) const;

  bool dry() const;
  int budget() const { return budget_; }
  /// One more than the highest member number that for_tasks hands out.
  int member_limit() const;

 private:
  friend class Session;
  using TaskFn = void (*)(void*, std::int64_t, std::int64_t, int);
  using JoinFn = void (*)(void*, const Exec&);
  void run_tasks(const Decision&, std::int64_t tasks, std::int64_t grain, TaskFn, void*) const;
  void run_as_pool(int width, void* claims) const;
  void run_outside(int width, void* claims) const;
  void run_join(const Decision&, JoinFn, void*, JoinFn, void*) const;

  Session* session_ = nullptr;  // null: the serial token
  int first_member_ = 0;
  int members_ = 1;  // real members this token may use
  int budget_ = 1;   // planned budget
  int depth_ = 0;
  const PathNode* path_ = nullptr;
};

/// What became of a command's widths.
struct Widths {
  int requested = 1, planned = 1, realised = 1;
  int parallel_gates = 0, serial_gates = 0;
};

/// The computing phase of a command. `run` first walks the body without work to see what the
/// planned sections would save (site team.open), opens a team as wide as the widest of them if that
/// pays, runs the body on it, and closes it. No thread of ours exists before or after.
class Session {
 public:
  explicit Session(ExecSettings settings);
  ~Session();
  Session(const Session&) = delete;

  void run(const std::function<void(const Exec&)>& body);

  Widths widths() const;
  std::vector<Record> records() const;

 private:
  friend class Exec;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tt::core
