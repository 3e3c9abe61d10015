#include "cli/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "core/cost/json.hpp"
#include "core/error.hpp"
#include "core/team/topology.hpp"
#include "core/tensor/memory.hpp"
#include "core/trace/writers.hpp"
#include "kernels/isa/table.hpp"

namespace tt::cli {

using core::Category;
using core::Error;

namespace {

constexpr int most_threads = 65535;

constexpr std::array<OptionRow, 9> result_rows = {{
    {"-o,--output", "TARGET", "where results go: c.npy, c.npz[:name], c.h5[:/path], - (stdout)"},
    {"--only", "NAME,...", "just these results"},
    {"--print", "", "print results as text"},
    {"--precision", "N", "digits of printed numbers (8)"},
    {"--full", "", "print without summarising"},
    {"--compress", "LEVEL", "gzip level of HDF5 results, 0 to 9"},
    {"--chunks", "N,N,...", "chunk shape of HDF5 results"},
    {"--in-place", "", "write into an existing HDF5 file itself, without the safe copy"},
    {"--sync", "", "wait until results are on the disk"},
}};

constexpr std::array<OptionRow, 17> planning_rows = {{
    {"--dtype", "T", "the computing type: float32, float64, complex64, complex128, int64"},
    {"--threads", "N", "width budget (TT_THREADS, OMP_NUM_THREADS, SLURM_CPUS_PER_TASK)"},
    {"--plan-threads", "N", "decide as a host with a budget of N would"},
    {"--token", "KIND", "the door sections go through: team (default), pool, outside"},
    {"--par", "RULES", "derived, never, SITE=never, SITE=UNITS, SITE=derived; globs; a list"},
    {"--pays", "X", "the multiple of the dispatch cost that must be saved (3)"},
    {"--host-class", "NAME", "auto, native, aarch64-apple, x86_64-avx512, ..., or a file"},
    {"--isa", "NAME", "auto, scalar, avx2, avx512, neon (TT_ISA)"},
    {"--bind", "HOW", "pin the members: none (default), cores, spread, close"},
    {"--memory-limit", "SIZE", "refuse what would not fit: 4GiB, 500MB, bytes"},
    {"--dry-run", "", "plan and print, compute nothing"},
    {"--trace", "", "every gate decision, as a table on standard error"},
    {"--trace-lanes", "", "also the decisions inside the lanes of a batch"},
    {"--trace-out", "FILE", "the decisions as .jsonl or .csv"},
    {"--stats", "", "times, flops, memory and widths as JSON on standard error"},
    {"--stats-out", "FILE", "the same into a file"},
    {"--progress", "WHEN", "a bar for work of more than a second: auto, never, always"},
}};

constexpr std::array<OptionRow, 4> general_rows = {{
    {"-q,--quiet", "", "no warnings, no progress bar"},
    {"-v,--verbose", "", "a line on standard error about what was done"},
    {"-h,--help", "", "this text"},
    {"--version", "", "versions of tt and its libraries, ISA and host class"},
}};

[[noreturn]] void bad_value(const std::string& text, const std::string& option,
                            const std::string& right) {
  throw Error(Category::usage, fmt::format("'{}' is no value of {}", text, option), "", right);
}

/// A variable that is set and not empty.
std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

/// The width that was asked for, by option or variable. OMP_NUM_THREADS may be a list: its first.
std::optional<int> requested_width(const Arguments& arguments) {
  if (const auto typed = arguments.value("--threads"))
    return static_cast<int>(parse_whole(*typed, "--threads", 1, most_threads));
  if (const auto set = variable("TT_THREADS"))
    return static_cast<int>(parse_whole(*set, "TT_THREADS", 1, most_threads));
  for (const char* name : {"OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"})
    if (const auto set = variable(name)) {
      int width = 0;
      const auto [end, error] = std::from_chars(set->data(), set->data() + set->size(), width);
      if (error == std::errc{} && width >= 1 && width <= most_threads) return width;
    }
  return std::nullopt;
}

core::Pays parse_pays(const std::string& text) {
  const double value = parse_real(text, "--pays");
  if (!(value >= 0 && value <= 1e6)) bad_value(text, "--pays", "a number from 0 to 1000000");
  return {std::llround(value * 1e6)};
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(Category::io, "cannot read the host class file", path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The calibrated file of this user, or empty.
std::string native_file() {
  const auto config = variable("XDG_CONFIG_HOME");
  const auto home = variable("HOME");
  if (!config && !home) return "";
  const std::string file = (config ? *config : *home + "/.config") + "/tt/native.json";
  return std::ifstream(file) ? file : "";
}

void choose_host_class(const Arguments& arguments, Options& options) {
  auto name = arguments.value("--host-class");
  options.host_source = "--host-class";
  if (!name) {
    name = variable("TT_HOST_CLASS");
    options.host_source = "TT_HOST_CLASS";
  }
  if (!name || *name == "auto" || *name == "native") {
    const std::string file = native_file();
    if (!file.empty()) {
      options.host = core::parse_host_class(read_file(file), file);
      options.host_source = file;
      if ((name && *name == "native") || options.host.cpu == cpu_model()) return;
    } else if (name && *name == "native") {
      throw Error(Category::usage, "no calibrated host class", "--host-class native",
                  "a file tt/native.json in the configuration folder");
    }
    options.host = core::detected_host_class();
    options.host_source = "detected";
    return;
  }
  if (const core::HostClass* built_in = core::find_builtin_host_class(*name)) {
    options.host = *built_in;
    return;
  }
  if (std::ifstream(*name)) {
    options.host = core::parse_host_class(read_file(*name), *name);
    return;
  }
  std::vector<std::string> known = {"auto", "native"};
  for (const core::HostClass& host : core::builtin_host_classes()) known.push_back(host.name);
  throw Error(Category::usage, fmt::format("'{}' is no host class and no file", *name),
              options.host_source,
              fmt::format("known are {}", fmt::join(core::nearest_first(*name, known), ", ")));
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list + ",");
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

core::Shape parse_chunks(const std::string& text) {
  core::Shape chunks;
  for (const std::string& part : split(text))
    chunks.push_back(parse_whole(part, "--chunks", 1, std::int64_t{1} << 40));
  return chunks;
}

void check_trace_out(const std::string& file) {
  std::vector<std::string> known;
  for (const core::TraceFormat& format : core::trace_formats()) {
    if (file.ends_with(format.extension)) return;
    known.emplace_back(format.extension);
  }
  throw Error(Category::usage, fmt::format("'{}' has no extension of a trace", file), "--trace-out",
              fmt::format("known are {}", fmt::join(known, ", ")));
}

}  // namespace

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

std::span<const OptionRow> result_options() {
  return result_rows;
}

std::span<const OptionRow> planning_options() {
  return planning_rows;
}

std::span<const OptionRow> general_options() {
  return general_rows;
}

std::int64_t parse_whole(const std::string& text, const std::string& option, std::int64_t least,
                         std::int64_t most) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end || value < least || value > most)
    bad_value(text, option, fmt::format("a whole number from {} to {}", least, most));
  return value;
}

double parse_real(const std::string& text, const std::string& option) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end) bad_value(text, option, "a number");
  return value;
}

std::uint64_t parse_size(const std::string& text, const std::string& option) {
  static const std::vector<std::pair<std::string, double>> units = {
      {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"KB", 1e3},
      {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},    {"K", 0x1p10},   {"M", 0x1p20},
      {"G", 0x1p30},   {"T", 0x1p40},   {"B", 1},        {"", 1}};
  for (const auto& [unit, factor] : units) {
    if (!text.ends_with(unit)) continue;
    const std::string number = text.substr(0, text.size() - unit.size());
    double value = 0;
    const char* end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, value);
    if (number.empty() || error != std::errc{} || stop != end) break;
    if (!(value > 0) || value * factor >= 0x1p63) break;
    return static_cast<std::uint64_t>(value * factor);
  }
  bad_value(text, option, "a size: 4GiB, 500MB, 1073741824");
}

core::DType parse_dtype(const std::string& text, const std::string& option, DTypeChoice choice) {
  std::vector<std::string> known = {"float32", "float64", "complex64", "complex128", "int64"};
  if (choice == DTypeChoice::any) {
    known.clear();
    for (const core::DType dtype : core::all_dtypes()) known.emplace_back(core::dtype_name(dtype));
  }
  parse_choice(text, option, known);
  return *core::find_dtype(text);
}

std::size_t parse_choice(const std::string& text, const std::string& option,
                         const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), text);
  if (found == known.end())
    bad_value(text, option,
              fmt::format("known are {}", fmt::join(core::nearest_first(text, known), ", ")));
  return static_cast<std::size_t>(found - known.begin());
}

Options read_options(const Arguments& arguments, DTypeChoice choice) {
  Options options;
  options.dry_run = arguments.flag("--dry-run");
  options.trace = arguments.flag("--trace");
  options.stats = arguments.flag("--stats");
  options.quiet = arguments.flag("--quiet");
  options.verbose = arguments.flag("--verbose");
  options.print = arguments.flag("--print");
  options.render.full = arguments.flag("--full");
  options.sink.in_place = arguments.flag("--in-place");
  options.sink.sync = arguments.flag("--sync");
  options.output = arguments.value("--output");
  options.stats_out = arguments.value("--stats-out").value_or("");
  options.trace_out = arguments.value("--trace-out").value_or("");
  if (!options.trace_out.empty()) check_trace_out(options.trace_out);
  if (const auto text = arguments.value("--precision"))
    options.render.precision = static_cast<int>(parse_whole(*text, "--precision", 0, 30));
  if (const auto text = arguments.value("--compress"))
    options.sink.compress = static_cast<int>(parse_whole(*text, "--compress", 0, 9));
  if (const auto text = arguments.value("--chunks")) options.sink.chunks = parse_chunks(*text);
  if (const auto text = arguments.value("--dtype"))
    options.dtype = parse_dtype(*text, "--dtype", choice);
  if (const auto text = arguments.value("--only")) options.only = split(*text);
  if (const auto text = arguments.value("--progress"))
    options.progress =
        static_cast<ProgressWhen>(parse_choice(*text, "--progress", {"auto", "never", "always"}));
  if (const auto text = arguments.value("--token"))
    options.exec.kind =
        static_cast<core::TokenKind>(parse_choice(*text, "--token", {"team", "pool", "outside"}));
  if (const auto text = arguments.value("--bind"))
    options.bind = static_cast<core::Bind>(
        parse_choice(*text, "--bind", {"none", "cores", "spread", "close"}));
  if (const auto text = arguments.value("--pays")) options.exec.pays = parse_pays(*text);
  if (const auto text = arguments.value("--par"))
    options.exec.overrides = core::ParOverrides::parse(*text);
  if (const auto text = arguments.value("--memory-limit"))
    options.memory_limit = parse_size(*text, "--memory-limit");
  if (const auto text = arguments.value("--plan-threads"))
    options.plan_threads = static_cast<int>(parse_whole(*text, "--plan-threads", 1, most_threads));
  options.requested_width = requested_width(arguments);
  const auto isa = arguments.value("--isa") ? arguments.value("--isa") : variable("TT_ISA");
  options.isa = &kernels::select_isa(isa ? isa->c_str() : nullptr);
  choose_host_class(arguments, options);
  options.exec.dry = options.dry_run;
  options.exec.trace = options.trace || !options.trace_out.empty();
  return options;
}

void bound_width(Options& options) {
  options.exec.threads =
      options.requested_width.value_or(static_cast<int>(core::allowed_cpus().size()));
  options.exec.plan_budget = options.plan_threads.value_or(options.exec.threads);
}

void settle_width(Options& options) {
  const core::CpuSet allowed = core::allowed_cpus();
  std::optional<core::Topology> topology;
  if (!options.requested_width) {
    topology = allowed.size() > 1 ? core::Topology::detect() : core::Topology{};
    options.requested_width = core::default_width(*topology, allowed, core::cpu_quota()).width;
  }
  options.exec.threads = *options.requested_width;
  options.exec.plan_budget = options.plan_threads.value_or(options.exec.threads);
  if (options.bind != core::Bind::none) {
    if (!topology) topology = core::Topology::detect();
    options.exec.member_cpus =
        core::placement(*topology, allowed, options.exec.threads, options.bind);
  }
}

}  // namespace tt::cli
