#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/command.hpp"
#include "cli/options.hpp"
#include "cli/render.hpp"
#include "core/cost/json.hpp"
#include "core/team/census.hpp"
#include "core/team/team.hpp"
#include "core/team/topology.hpp"
#include "kernels/isa/table.hpp"

namespace tt::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<OptionRow, 2> rows = {{
    {"--census", "", "open the team and list where each member may run"},
    {"--json", "", "as JSON"},
}};

/// The CPUs of the kernel's list: "0-2,5" is 0, 1, 2, 5.
core::CpuSet parse_cpu_list(const std::string& list) {
  core::CpuSet cpus;
  std::istringstream in(list);
  for (std::string range; std::getline(in, range, ',');) {
    const int first = std::stoi(range);
    const std::size_t dash = range.find('-');
    const int last = dash == std::string::npos ? first : std::stoi(range.substr(dash + 1));
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

/// The last-level caches that hang on any of the CPUs.
std::set<int> last_levels(const core::Topology& topology, const core::CpuSet& cpus) {
  std::set<int> caches;
  for (const core::Topology::Core& core : topology.cores)
    for (const int cpu : core.cpus)
      if (std::ranges::count(cpus, cpu) > 0) caches.insert(core.last_level);
  return caches;
}

/// Opens a real team and asks the kernel where each member may run.
Json census_json(const core::Topology& topology, int width, const std::vector<int>& cpus) {
  Json members = Json::array();
  core::Team::run(width, false, cpus, [&](core::Team&) {
    for (const core::MemberPlace& place : core::census())
      members.push_back(
          {{"thread", place.thread_id},
           {"cpus_allowed", place.cpus_allowed},
           {"last_level_caches", last_levels(topology, parse_cpu_list(place.cpus_allowed))}});
  });
  return members;
}

Json report_json(const Options& options, const core::Topology& topology) {
  const core::CpuSet allowed = core::allowed_cpus();
  const auto quota = core::cpu_quota();
  const core::DefaultWidth width = core::default_width(topology, allowed, quota);
  const Json host = Json::parse(core::host_class_json(options.host));
  return {{"cpu", cpu_model()},
          {"isa", options.isa->name},
          {"host_class", options.host.name},
          {"class_source", options.host_source},
          {"default_width", width.width},
          {"why", width.why},
          {"allowed_cpus", allowed},
          {"cores", topology.cores.empty() ? Json(nullptr) : Json(topology.cores.size())},
          {"quota", quota ? Json(*quota) : Json(nullptr)},
          {"caches",
           {{"l1d", topology.caches.l1d},
            {"l2", topology.caches.l2},
            {"l3", topology.caches.l3},
            {"last_level_caches", topology.last_level_caches}}},
          {"dispatch_ns", host["dispatch_ns"]},
          {"rates", host["rates"]}};
}

std::string report_text(const Json& report) {
  const auto line = [&](const char* title, const std::string& value) {
    return fmt::format("{:<14} {}\n", title, value);
  };
  const auto text = [&](const char* key) { return report[key].get<std::string>(); };
  const auto bytes = [&](const char* key) {
    return core::size_text(report["caches"][key].get<std::uint64_t>());
  };
  std::string all =
      line("cpu", text("cpu")) + line("isa", text("isa")) +
      line("host class", fmt::format("{} ({})", text("host_class"), text("class_source"))) +
      line("default width", fmt::format("{} ({})", report["default_width"].dump(), text("why"))) +
      line("allowed CPUs", report["allowed_cpus"].dump()) +
      line("CPU quota", report["quota"].is_null() ? "none" : report["quota"].dump());
  if (report["cores"].is_null())
    all += line("cores", "unknown");
  else
    all += line("cores", report["cores"].dump()) +
           line("caches", fmt::format("L1d {}, L2 {}, L3 {} in {}", bytes("l1d"), bytes("l2"),
                                      bytes("l3"), report["caches"]["last_level_caches"].dump()));
  all += "dispatch: [width, ns], ...\n";
  for (const auto& [kind, costs] : report["dispatch_ns"].items())
    all += fmt::format("  {:<20} {}\n", kind, costs.dump());
  all += "serial rates: [units, ns a unit], ...\n";
  for (const auto& [family, dtypes] : report["rates"].items())
    for (const auto& [dtype, rate] : dtypes.items())
      all += fmt::format("  {:<20} {:<11} {}\n", family, dtype, rate.dump());
  return all;
}

void run(const Arguments& arguments) {
  Options options = read_options(arguments);
  require_operands(arguments, 0, host_command);
  const core::Topology topology = core::Topology::detect();
  Json report = report_json(options, topology);
  std::string text = report_text(report);
  if (arguments.flag("--census")) {
    settle_width(options);
    report["census"] = census_json(topology, options.exec.threads, options.exec.member_cpus);
    for (const Json& member : report["census"])
      text += fmt::format("member thread {}: CPUs {}, last-level caches {}\n",
                          member["thread"].dump(), member["cpus_allowed"].get<std::string>(),
                          member["last_level_caches"].dump());
  }
  print_text(arguments.flag("--json") ? report.dump(2) + "\n" : text);
}

}  // namespace

const Command host_command = {
    "host",
    "this machine as tt sees it: CPUs, default width and why, host class",
    "[--census] [--json]",
    R"(Prints the topology inside the affinity mask, the default width and the reason for it, and
the host class with its tables: what a dispatch costs by width, and what serial work costs
by family.

examples:
  tt host
  tt host --census --bind spread
  taskset -c 0 tt host --json
)",
    rows,
    Shares::planning,
    run};

}  // namespace tt::cli
