#include "core/team/exec.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/team/census.hpp"
#include "core/team/progress.hpp"
#include "core/team/topology.hpp"

using namespace tt::core;

namespace {

constexpr TokenKind kinds[] = {TokenKind::team, TokenKind::pool, TokenKind::outside};

ExecSettings settings(int threads, TokenKind kind = TokenKind::team) {
  ExecSettings s;
  s.kind = kind;
  s.threads = threads;
  s.plan_budget = threads;
  s.host = find_builtin_host_class("generic");
  s.trace = true;
  return s;
}

/// A region of about a second by its estimate, so that every token opens a team for it.
Gate large() {
  return {.site = "test.large", .work = {Family::gemm, DType::float64, 30'000'000'000, 0}};
}
Gate small() {
  return {.site = "test.small", .work = {Family::gemm, DType::float64, 10, 0}};
}

std::size_t thread_count() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

/// Threads that are not ours: the thread sanitizer has one.
#if defined(__SANITIZE_THREAD__)
constexpr std::size_t foreign_threads = 1;
#else
constexpr std::size_t foreign_threads = 0;
#endif
std::size_t our_threads() {
  return thread_count() - foreign_threads;
}

}  // namespace

TEST_CASE("every task runs exactly once, for every token, width, count and grain") {
  for (const TokenKind kind : kinds)
    for (const int threads : {1, 2, 3, 8})
      for (const std::int64_t tasks : {0, 1, 2, 7, 1000})
        for (const std::int64_t grain : {1, 3, 64}) {
          CAPTURE(token_kind_name(kind));
          CAPTURE(threads);
          CAPTURE(tasks);
          CAPTURE(grain);
          std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
          std::atomic<bool> member_fits{true};
          Session session(settings(threads, kind));
          session.run([&](const Exec& exec) {
            exec.for_tasks(
                exec.decide(large()), tasks,
                [&](std::int64_t first, std::int64_t last, int member) {
                  if (member < 0 || member >= exec.member_limit()) member_fits = false;
                  for (std::int64_t i = first; i < last; ++i) ++runs[static_cast<std::size_t>(i)];
                },
                grain);
          });
          CHECK(member_fits);
          for (const auto& count : runs) CHECK(count == 1);
        }
}

TEST_CASE("a serial token runs tasks in order on the caller") {
  std::vector<std::int64_t> order;
  const Exec exec = Exec::serial();
  exec.for_tasks(exec.decide(large()), 5, [&](std::int64_t first, std::int64_t, int member) {
    CHECK(member == 0);
    order.push_back(first);
  });
  CHECK(order == std::vector<std::int64_t>{0, 1, 2, 3, 4});
}

TEST_CASE("a dry run decides, records and runs nothing") {
  ExecSettings dry = settings(6);
  dry.dry = true;
  Session session(dry);
  const std::size_t before = our_threads();
  session.run([&](const Exec& exec) {
    CHECK(exec.dry());
    exec.for_tasks(exec.decide(large()), 10, [](std::int64_t, std::int64_t, int) { FAIL("ran"); });
  });
  CHECK(our_threads() == before);
  const auto records = session.records();
  REQUIRE(records.size() == 2);
  CHECK(std::string(records[0].site) == "team.open");
  CHECK(records[1].parallel);
  CHECK(records[1].realised_width == 1);
  CHECK(records[1].measured_ns < 0);
}

TEST_CASE("a small job opens no team") {
  Session session(settings(2));
  session.run([&](const Exec& exec) {
    if (!exec.dry()) CHECK(our_threads() == 1);
    exec.for_tasks(exec.decide(small()), 4, [](std::int64_t, std::int64_t, int) {});
  });
  CHECK(session.widths().realised == 1);
  CHECK(session.widths().serial_gates == 1);
}

TEST_CASE("where opening the team does not pay, decisions stand as planned and realise 1") {
  // 12 us of work: pays a section of 3 us at width 4, saves far less than opening costs.
  Session session(settings(4));
  session.run([&](const Exec& exec) {
    const Decision d =
        exec.decide({.site = "test", .work = {Family::gemm, DType::float64, 330'000, 0}});
    exec.for_tasks(d, 4, [](std::int64_t, std::int64_t, int) {});
  });
  const auto records = session.records();
  REQUIRE(records.size() == 2);
  CHECK(!records[0].parallel);
  CHECK(records[0].required_ns == 180'000);
  CHECK(records[1].parallel);
  CHECK(records[1].width > 1);
  CHECK(records[1].realised_width == 1);
}

TEST_CASE("the team is as wide as its widest section, and no thread is left behind") {
  for (const TokenKind kind : kinds) {
    CAPTURE(token_kind_name(kind));
    Session session(settings(3, kind));
    session.run([&](const Exec& exec) {
      exec.for_tasks(exec.decide(large()), 300, [](std::int64_t, std::int64_t, int) {});
    });
    CHECK(our_threads() == 1);
    CHECK(session.widths().planned == 3);
    CHECK(session.widths().requested == 3);
  }
}

TEST_CASE("an exception reaches the leader and the team survives") {
  for (const TokenKind kind : kinds) {
    CAPTURE(token_kind_name(kind));
    Session session(settings(2, kind));
    std::atomic<int> after{0};
    session.run([&](const Exec& exec) {
      const auto throwing = [](std::int64_t first, std::int64_t, int) {
        if (first == 17) throw std::runtime_error("task 17");
      };
      if (!exec.dry())
        CHECK_THROWS_WITH(exec.for_tasks(exec.decide(large()), 100, throwing), "task 17");
      exec.for_tasks(exec.decide(large()), 50, [&](std::int64_t, std::int64_t, int) { ++after; });
    });
    CHECK(after == 50);
    CHECK_THROWS_AS(session.run([&](const Exec& exec) {
      exec.decide(large());
      if (!exec.dry()) throw std::logic_error("body");
    }),
                    std::logic_error);
    CHECK(our_threads() == 1);
  }
}

TEST_CASE("tasks may wait for tasks with lower numbers") {
  for (const TokenKind kind : kinds)
    for (const int threads : {1, 2, 4}) {
      CAPTURE(token_kind_name(kind));
      CAPTURE(threads);
      std::vector<std::int64_t> values(400, 0);
      Session session(settings(threads, kind));
      Progress done;
      session.run([&](const Exec& exec) {
        exec.for_tasks(exec.decide(large()), 400, [&](std::int64_t i, std::int64_t, int) {
          done.wait_for(i);  // a chain: each task follows the one before it
          const auto u = static_cast<std::size_t>(i);
          values[u] = (u ? values[u - 1] : 0) + i;
          done.advance();
        });
      });
      CHECK(values.back() == 399 * 400 / 2);
    }
}

TEST_CASE("a join runs both halves, each with half of the budget and its own members") {
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    Session session(settings(threads));
    std::atomic<int> left{0}, right{0};
    std::mutex mutex;
    std::set<int> left_members, right_members;
    session.run([&](const Exec& exec) {
      Gate gate = large();
      gate.fixed_width = 2;
      const auto half = [&](std::atomic<int>& count, std::set<int>& members) {
        return [&](const Exec& inner) {
          CHECK(inner.budget() == std::max(1, threads / 2));
          inner.for_tasks(inner.decide(large()), 64, [&](std::int64_t, std::int64_t, int member) {
            ++count;
            const std::lock_guard lock(mutex);
            members.insert(member);
          });
        };
      };
      // The rehearsal plans for the whole width, so that there is a team to split.
      exec.decide(large());
      exec.join(gate, half(left, left_members), half(right, right_members));
    });
    CHECK(left == 64);
    CHECK(right == 64);
    if (threads > 1)
      for (const int member : left_members) CHECK(!right_members.contains(member));
  }
}

TEST_CASE("an exception in the second half of a join reaches the caller") {
  Session session(settings(2));
  CHECK_THROWS_WITH(session.run([&](const Exec& exec) {
    Gate gate = large();
    gate.fixed_width = 2;
    exec.join(
        gate, [](const Exec&) {},
        [](const Exec& inner) {
          if (!inner.dry()) throw std::runtime_error("second half");
        });
  }),
                    "second half");
}

TEST_CASE("a composite gate hands its width on, one level deeper") {
  ExecSettings dry = settings(8);
  dry.dry = true;
  Session session(dry);
  session.run([](const Exec& exec) {
    Exec::PathNode node;
    const Exec step = exec.at(node, "step", 3);
    const Decision outer = step.decide(large());
    step.inside(outer).decide(large());
    const Decision serial = step.decide(small());
    CHECK(step.inside(serial).budget() == 1);
  });
  const auto records = session.records();
  REQUIRE(records.size() == 4);
  CHECK(records[1].path == "step.3");
  CHECK(records[2].depth == 1);
  CHECK(records[2].budget == records[1].width);
}

TEST_CASE("members park between sections far apart, and wake") {
  Session session(settings(2));
  std::atomic<int> runs{0};
  session.run([&](const Exec& exec) {
    for (int i = 0; i < 3; ++i) {
      exec.for_tasks(exec.decide(large()), 2, [&](std::int64_t, std::int64_t, int) { ++runs; });
      if (!exec.dry()) usleep(20'000);
    }
  });
  CHECK(runs == 6);
  const auto records = session.records();
  // The gap is far longer than any spin: later sections are charged for the wake.
  CHECK(records.back().wake_ns == find_builtin_host_class("generic")->dispatch.wake_ns);
}

TEST_CASE("the census lists every thread of the process") {
  CHECK(census().size() - foreign_threads == 1);
  Session session(settings(2));
  std::size_t seen = 0;
  session.run([&](const Exec& exec) {
    exec.decide(large());
    if (!exec.dry()) seen = census().size() - foreign_threads;
  });
  CHECK(seen == 2);
}

namespace {

/// Where the child of the end-to-end test counts: a mask of one CPU a core, no width variables.
int default_team_size() {
  const CpuSet allowed = allowed_cpus();
  const Topology topology = Topology::detect();
  if (allowed_core_count(topology, allowed) != static_cast<int>(allowed.size())) return -1;
  const int width = default_width(topology, allowed, std::nullopt).width;
  std::atomic<std::size_t> threads{0};
  Session session(settings(width));
  session.run([&](const Exec& exec) {
    exec.decide(large());
    if (!exec.dry()) threads = our_threads();
  });
  return static_cast<int>(threads.load());
}

}  // namespace

// Run by the test below in a process of its own; by itself it would count whatever this one has.
TEST_CASE("child: a team of the default width" * doctest::skip()) {
  const CpuSet allowed = allowed_cpus();
  const int size = default_team_size();
  REQUIRE_MESSAGE(size != -1, "the mask does not hold one CPU a core");
  CHECK(size == static_cast<int>(allowed.size()));
  // The negative control: a halved width is not what was counted.
  if (allowed.size() > 1) CHECK(size != static_cast<int>(allowed.size()) / 2);
}

TEST_CASE("end to end: the default width is the threads that a real team gets") {
  const CpuSet allowed = allowed_cpus();
  const Topology topology = Topology::detect();
  // One CPU of each allowed core.
  const std::vector<int> one_each =
      placement(topology, allowed, allowed_core_count(topology, allowed).value_or(1), Bind::close);
  for (const bool bound : {false, true}) {
    CAPTURE(bound);
    const pid_t child = fork();
    if (child == 0) {
      cpu_set_t mask;
      CPU_ZERO(&mask);
      for (const int cpu : one_each) CPU_SET(cpu, &mask);
      sched_setaffinity(0, sizeof mask, &mask);
      for (const char* name : {"TT_THREADS", "OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"})
        unsetenv(name);
      if (bound) {
        setenv("OMP_PROC_BIND", "close", 1);
        setenv("OMP_PLACES", "cores", 1);
      }
      execl("/proc/self/exe", "core_team_tests", "--no-skip",
            "--test-case=child: a team of the default width", nullptr);
      _exit(127);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
  }
}
