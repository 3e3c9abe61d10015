// What a command tells of itself besides its results: the trace, the stats, the printed plan. Files
// are opened before any work, so that one that cannot be written is found out first.
#pragma once

#include <memory>
#include <string>

#include "cli/options.hpp"
#include "core/plan/plan.hpp"
#include "core/team/exec.hpp"
#include "io/commit.hpp"

namespace tt::cli {

/// Seconds of the stages of a command. When stats are asked for, `load` faults mapped operands in
/// and `alloc` touches the result and the pack buffers; it also holds the opening and closing of
/// the team, so that `compute` is arithmetic alone.
struct Seconds {
  double load = 0, plan = 0, alloc = 0, compute = 0, store = 0;

  double total() const { return load + plan + alloc + compute + store; }
};

class Reports {
 public:
  /// Opens the files of --trace-out and --stats-out. Throws Error(io).
  explicit Reports(const Options& options);

  /// True when somebody reads the widths, which then must be those of the real topology.
  bool want_widths() const { return want_stats() || options_.exec.trace; }
  bool want_stats() const { return options_.stats || stats_file_; }

  /// The records as --trace and --trace-out ask for them.
  void write_trace(const core::Session& session);
  /// One JSON object (cli.md, section 5), as --stats and --stats-out ask for it.
  void write_stats(const std::string& command, const core::Plan& plan, const Seconds& seconds,
                   const core::Widths& widths);

 private:
  const Options& options_;
  std::unique_ptr<io::PendingFile> trace_file_, stats_file_;
};

}  // namespace tt::cli
