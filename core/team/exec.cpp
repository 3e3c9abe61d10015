#include "core/team/exec.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>

#include "core/check.hpp"
#include "core/team/fence.hpp"
#include "core/team/team.hpp"

namespace tt::core {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// The tasks of one section: members claim contiguous pieces in ascending order until none is left.
class Claims {
 public:
  using Fn = void (*)(void*, std::int64_t, std::int64_t, int);
  Claims(std::int64_t tasks, std::int64_t grain, Fn fn, void* body)
      : tasks_(tasks), grain_(grain), fn_(fn), body_(body) {}

  /// One member's share. The first exception is kept and ends the claiming.
  void work(int member) {
    try {
      for (;;) {
        const std::int64_t first = next_.fetch_add(grain_, std::memory_order_relaxed);
        if (first >= tasks_) return;
        fn_(body_, first, std::min(first + grain_, tasks_), member);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_.store(tasks_, std::memory_order_relaxed);
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::int64_t tasks_, grain_;
  const Fn fn_;
  void* const body_;
  std::atomic<std::int64_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// "step.3/gemm" of a chain of nodes.
std::string path_text(const Exec::PathNode* node) {
  if (!node) return "";
  std::string text = path_text(node->parent);
  if (!text.empty()) text += '/';
  text += node->name;
  if (node->index >= 0) text += '.' + std::to_string(node->index);
  return text;
}

}  // namespace

struct Session::Impl {
  explicit Impl(ExecSettings s) : settings(std::move(s)), log(std::max(settings.threads, 1)) {}

  ExecSettings settings;
  TraceLog log;
  Team* team = nullptr;  // while the region is open
  int size = 1;          // members that there really are
  bool rehearsing = false;
  std::int64_t opened_ns = 0;
  // Of the rehearsal.
  std::int64_t saving_ns = 0;
  int widest = 1;
  bool forced = false;  // an explicit floor was reached
  // Of the run.
  std::atomic<int> parallel_gates{0}, serial_gates{0}, realised{1};

  void open_and_run(const std::function<void(const Exec&)>& body, Session& session);
};

Exec Exec::serial() {
  return {};
}

bool Exec::dry() const {
  return session_ && (session_->impl_->rehearsing || session_->impl_->settings.dry);
}

int Exec::member_limit() const {
  return session_ ? session_->impl_->size : 1;
}

Decision Exec::decide(const Gate& gate) const {
  if (!session_) return {};
  Session::Impl& s = *session_->impl_;
  const HostClass& host = *s.settings.host;
  const bool asleep = s.team && s.settings.kind == TokenKind::team &&
                      s.team->parked(first_member_ + 1, members_ - 1);
  Record record = core::decide(gate, {.kind = s.settings.kind,
                                      .budget = budget_,
                                      .pays = s.settings.pays,
                                      .host = &host,
                                      .overrides = &s.settings.overrides,
                                      .wake_ns = asleep ? host.dispatch.wake_ns : 0});
  Decision decision{.parallel = record.parallel, .width = record.width};
  if (record.parallel)
    decision.saving_ns =
        record.estimate_ns - (record.sections * record.dispatch_ns +
                              record.estimate_ns / static_cast<std::int64_t>(record.width));
  if (s.rehearsing) {
    s.saving_ns += std::max<std::int64_t>(decision.saving_ns, 0);
    s.widest = std::max(s.widest, record.width);
    s.forced = s.forced || (record.parallel && record.rule == Rule::fixed);
    return decision;
  }
  ++(record.parallel ? s.parallel_gates : s.serial_gates);
  if (s.settings.trace) {
    record.depth = depth_;
    record.path = path_text(path_);
    decision.record = &s.log.append(first_member_, std::move(record));
  }
  return decision;
}

void Exec::run_tasks(const Decision& decision, std::int64_t tasks, std::int64_t grain, TaskFn fn,
                     void* body) const {
  if (tasks <= 0 || dry()) return;
  TT_CHECK_GE(grain, 1);
  const std::int64_t begin = decision.record ? now_ns() : 0;
  const std::int64_t pieces = (tasks + grain - 1) / grain;
  const bool real = session_ && decision.parallel && session_->impl_->size > 1;
  const int width =
      real ? static_cast<int>(std::min<std::int64_t>({decision.width, members_, pieces})) : 1;
  if (width < 2) {
    for (std::int64_t first = 0; first < tasks; first += grain)
      fn(body, first, std::min(first + grain, tasks), first_member_);
  } else {
    Session::Impl& s = *session_->impl_;
    Claims claims(tasks, grain, fn, body);
    switch (s.settings.kind) {
      case TokenKind::team:
        s.team->dispatch(
            first_member_, width,
            [](void* context, int member) { static_cast<Claims*>(context)->work(member); },
            &claims);
        break;
      case TokenKind::pool:
        run_as_pool(width, &claims);
        break;
      case TokenKind::outside:
        run_outside(width, &claims);
        break;
    }
    int most = s.realised.load(std::memory_order_relaxed);
    while (most < width && !s.realised.compare_exchange_weak(most, width)) {
    }
    claims.rethrow();
  }
  if (decision.record) {
    decision.record->realised_width = std::max(decision.record->realised_width, width);
    decision.record->start_ns = begin - session_->impl_->opened_ns;
    decision.record->measured_ns =
        std::max<std::int64_t>(decision.record->measured_ns, 0) + now_ns() - begin;
  }
}

TT_FORKS void Exec::run_as_pool(int width, void* claims) const {
  release_fence();
  for (int i = 0; i < width; ++i) {
#pragma omp task firstprivate(claims)
    {
      acquire_fence();
      static_cast<Claims*>(claims)->work(omp_get_thread_num());
      release_fence();
    }
  }
#pragma omp taskwait
  acquire_fence();
}

TT_FORKS void Exec::run_outside(int width, void* claims) const {
  release_fence();
#pragma omp parallel num_threads(width)
  {
    acquire_fence();
    static_cast<Claims*>(claims)->work(omp_get_thread_num());
    release_fence();
  }
  acquire_fence();
}

void Exec::run_join(const Decision& decision, JoinFn f, void* f_body, JoinFn g,
                    void* g_body) const {
  const bool team = session_ && decision.parallel && session_->impl_->team && members_ > 1 &&
                    session_->impl_->settings.kind == TokenKind::team;
  Exec left = inside(decision), right = left;
  if (decision.parallel) {  // each half plans with half of the budget
    left.budget_ = budget_ - budget_ / 2;
    right.budget_ = budget_ / 2;
  }
  if (!team) {
    f(f_body, left);
    g(g_body, right);
    return;
  }
  left.members_ = members_ - members_ / 2;
  right.members_ = members_ / 2;
  right.first_member_ = first_member_ + left.members_;
  struct Halves {
    JoinFn f, g;
    void *f_body, *g_body;
    const Exec *left, *right;
    std::exception_ptr failures[2];
  } halves{f, g, f_body, g_body, &left, &right, {}};
  session_->impl_->team->pair(
      first_member_, right.first_member_,
      [](void* context, int) {
        auto& h = *static_cast<Halves*>(context);
        try {
          h.g(h.g_body, *h.right);
        } catch (...) {
          h.failures[1] = std::current_exception();
        }
      },
      [](void* context, int) {
        auto& h = *static_cast<Halves*>(context);
        try {
          h.f(h.f_body, *h.left);
        } catch (...) {
          h.failures[0] = std::current_exception();
        }
      },
      &halves);
  for (const std::exception_ptr& failure : halves.failures)
    if (failure) std::rethrow_exception(failure);
}

Exec Exec::inside(const Decision& decision) const {
  Exec body = *this;
  body.depth_ = depth_ + 1;
  body.budget_ = decision.parallel ? decision.width : 1;
  body.members_ = std::min(members_, body.budget_);
  return body;
}

Exec Exec::at(PathNode& node, const char* name, std::int64_t index) const {
  node = {path_, name, index};
  Exec here = *this;
  here.path_ = &node;
  return here;
}

Session::Session(ExecSettings settings) : impl_(std::make_unique<Impl>(std::move(settings))) {}
Session::~Session() = default;

void Session::Impl::open_and_run(const std::function<void(const Exec&)>& body, Session& session) {
  const auto run_body = [&] {
    Exec exec;
    exec.session_ = &session;
    exec.members_ = size;
    exec.budget_ = settings.plan_budget;
    opened_ns = now_ns();
    body(exec);
  };
  Record opening;
  opening.site = "team.open";
  opening.units = static_cast<std::uint64_t>(saving_ns);
  opening.rate_ns = 1;
  opening.estimate_ns = saving_ns;
  opening.kind = settings.kind;
  opening.budget = settings.plan_budget;
  opening.dispatch_ns = settings.host->dispatch.open_ns;
  opening.required_ns = required_ns(settings.pays, 1, opening.dispatch_ns);
  opening.rule = forced ? Rule::fixed : Rule::derived;
  opening.parallel =
      widest > 1 && (forced || static_cast<double>(saving_ns) >= opening.required_ns);
  opening.width = opening.parallel ? widest : 1;
  Record* record = settings.trace && widest > 1 ? &log.append(0, std::move(opening)) : nullptr;
  const bool opens = (record ? record->parallel : opening.parallel) && !settings.dry;
  const int threads = std::min(settings.threads, widest);
  if (!opens || threads < 2) return run_body();

  if (settings.kind == TokenKind::outside) {  // each section makes its own region
    size = std::min(threads, omp_get_thread_limit());
    run_body();
    omp_pause_resource_all(omp_pause_hard);
  } else {
    Team::run(threads, settings.kind == TokenKind::pool, settings.member_cpus, [&](Team& open) {
      team = &open;
      size = open.size();
      if (settings.kind == TokenKind::team) realised = size;
      run_body();
    });
    team = nullptr;
  }
  if (record) record->realised_width = size;
}

void Session::run(const std::function<void(const Exec&)>& body) {
  impl_->rehearsing = true;
  Exec rehearsal;
  rehearsal.session_ = this;
  rehearsal.budget_ = impl_->settings.plan_budget;
  if (impl_->settings.plan_budget > 1) body(rehearsal);
  impl_->rehearsing = false;
  impl_->open_and_run(body, *this);
}

Widths Session::widths() const {
  return {.requested = impl_->settings.threads,
          .planned = impl_->widest,
          .realised = impl_->realised,
          .parallel_gates = impl_->parallel_gates,
          .serial_gates = impl_->serial_gates};
}

std::vector<Record> Session::records() const {
  return impl_->log.merged();
}

}  // namespace tt::core
