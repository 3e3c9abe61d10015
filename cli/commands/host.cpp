#include <array>
#include <fstream>

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

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

Json census_json(int width, const std::vector<int>& cpus) {
  Json members = Json::array();
  core::Team::run(width, false, cpus, [&](core::Team&) {
    for (const core::MemberPlace& place : core::census())
      members.push_back({{"thread", place.thread_id}, {"cpus_allowed", place.cpus_allowed}});
  });
  return members;
}

void run(const Arguments& arguments) {
  Options options = read_options(arguments);
  const core::CpuSet allowed = core::allowed_cpus();
  const core::Topology topology = core::Topology::detect();
  const auto quota = core::cpu_quota();
  const core::DefaultWidth width = core::default_width(topology, allowed, quota);
  Json json = Json::parse(core::host_class_json(options.host));
  const Json report = {
      {"cpu", cpu_model()},
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
      {"dispatch_ns", json["dispatch_ns"]},
      {"rates", json["rates"]}};
  settle_width(options);
  const Json census = arguments.flag("--census")
                          ? census_json(options.exec.threads, options.exec.member_cpus)
                          : Json(nullptr);
  if (arguments.flag("--json")) {
    Json all = report;
    if (!census.is_null()) all["census"] = census;
    return print_text(all.dump(2) + "\n");
  }
  std::string text = fmt::format(
      "cpu            {}\nisa            {}\nhost class     {} ({})\ndefault width  {} ({})\n"
      "allowed CPUs   {}\n",
      cpu_model(), options.isa->name, options.host.name, options.host_source, width.width,
      width.why, fmt::join(allowed, ","));
  if (!topology.cores.empty())
    text += fmt::format("cores          {}\ncaches         L1d {}, L2 {}, L3 {}\n",
                        topology.cores.size(),
                        core::size_text(static_cast<std::uint64_t>(topology.caches.l1d)),
                        core::size_text(static_cast<std::uint64_t>(topology.caches.l2)),
                        core::size_text(static_cast<std::uint64_t>(topology.caches.l3)));
  text += "dispatch, ns by width\n";
  for (const char* kind : {"team", "pool", "outside"})
    text += fmt::format("  {:<8} {}\n", kind, json["dispatch_ns"][kind].dump());
  for (const Json& member : census)
    text += fmt::format("member thread {} may run on CPUs {}\n", member["thread"].dump(),
                        member["cpus_allowed"].get<std::string>());
  print_text(text);
}

}  // namespace

const Command host_command = {"host",
                              "this machine as tt sees it: CPUs, default width and why, host class",
                              "[--census] [--json]",
                              "Prints the topology inside the affinity mask, the default width and "
                              "the reason for it, the host\n"
                              "class with its table of dispatch costs.\n"
                              "\n"
                              "examples:\n"
                              "  tt host\n"
                              "  taskset -c 0 tt host --json\n",
                              rows,
                              run};

}  // namespace tt::cli
