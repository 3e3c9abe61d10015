// What was typed, turned into checked values: threads, tokens, host class, limits, outputs. The
// only reader of TT_* variables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/progress.hpp"
#include "cli/render.hpp"
#include "core/cost/host_class.hpp"
#include "core/team/exec.hpp"
#include "core/team/topology.hpp"
#include "core/tensor/dtype.hpp"
#include "io/source.hpp"

namespace tt::kernels {
struct KernelTable;
}

namespace tt::cli {

struct Options {
  core::ExecSettings exec;  // exec.host points to `host`
  core::HostClass host;
  std::string host_source;  // "detected", "--host-class", "TT_HOST_CLASS", a file
  const kernels::KernelTable* isa = nullptr;
  std::optional<int> requested_width;  // none: the default width, settled when it matters
  std::optional<int> plan_threads;
  core::Bind bind = core::Bind::none;
  std::uint64_t memory_limit = 0;  // bytes; 0: what is available
  bool dry_run = false, trace = false, stats = false, quiet = false, verbose = false;
  ProgressWhen progress = ProgressWhen::automatic;
  std::string trace_out, stats_out;
  std::optional<core::DType> dtype;
  std::optional<std::string> output;
  std::vector<std::string> only;  // the results that are wanted; empty: all
  bool print = false;
  RenderOptions render;
  io::SinkOptions sink;
};

/// What --dtype may name: a type that is computed in, or any that can be stored.
enum class DTypeChoice : std::uint8_t { computing, any };

/// Checks every global option. Throws Error(usage), or Error(data | io) for a host class file.
Options read_options(const Arguments& arguments, DTypeChoice choice = DTypeChoice::computing);

/// Sets exec.threads and exec.plan_budget to the most that settle_width could make of them, without
/// a look at the topology: enough to see that nothing pays.
void bound_width(Options& options);

/// Settles exec.threads and exec.plan_budget: the requested width, or the default width of this
/// machine, which loads its topology.
void settle_width(Options& options);

/// The model of this CPU, as the system tells it.
std::string cpu_model();

/// Whole numbers, decimals, sizes ("14MiB", "1.5GiB", "500MB", "64K", bytes) as they are typed.
std::int64_t parse_whole(const std::string& text, const std::string& option, std::int64_t least,
                         std::int64_t most);
double parse_real(const std::string& text, const std::string& option);
std::uint64_t parse_size(const std::string& text, const std::string& option);

core::DType parse_dtype(const std::string& text, const std::string& option, DTypeChoice choice);

/// The option is one of the known words; its place in the list. Throws Error(usage).
std::size_t parse_choice(const std::string& text, const std::string& option,
                         const std::vector<std::string>& known);

}  // namespace tt::cli
