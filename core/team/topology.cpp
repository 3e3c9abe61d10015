#include "core/team/topology.hpp"

#include <hwloc.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "core/error.hpp"

namespace tt::core {
namespace {

struct Closer {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Closer>;

Handle open_topology() {
  // Only cores, threads and caches: no plugins, no devices, nothing that opens a bus.
  setenv("HWLOC_PLUGINS_BLACKLIST", "hwloc_", 0);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Handle topology(raw);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const auto type : {HWLOC_OBJ_CORE, HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE})
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return topology;
}

std::int64_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  return cache && cache->attr ? static_cast<std::int64_t>(cache->attr->cache.size) : 0;
}

/// The outermost cache that a core hangs on.
hwloc_obj_t last_level_cache(hwloc_obj_t core) {
  hwloc_obj_t found = nullptr;
  for (hwloc_obj_t object = core->parent; object; object = object->parent)
    if (hwloc_obj_type_is_cache(object->type)) found = object;
  return found;
}

Topology read_topology(hwloc_topology_t topology) {
  Topology result;
  result.caches = {cache_bytes(topology, HWLOC_OBJ_L1CACHE),
                   cache_bytes(topology, HWLOC_OBJ_L2CACHE),
                   cache_bytes(topology, HWLOC_OBJ_L3CACHE)};
  std::map<hwloc_obj_t, int> caches;
  const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  for (int i = 0; i < cores; ++i) {
    const hwloc_obj_t object =
        hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(i));
    Topology::Core core;
    for (int cpu = hwloc_bitmap_first(object->cpuset); cpu >= 0;
         cpu = hwloc_bitmap_next(object->cpuset, cpu))
      core.cpus.push_back(cpu);
    core.last_level =
        caches.try_emplace(last_level_cache(object), static_cast<int>(caches.size())).first->second;
    result.cores.push_back(std::move(core));
  }
  result.last_level_caches = static_cast<int>(caches.size());
  return result;
}

/// The CPUs of one core that are allowed.
CpuSet allowed_of(const Topology::Core& core, const CpuSet& allowed) {
  CpuSet both;
  std::ranges::set_intersection(core.cpus, allowed, std::back_inserter(both));
  return both;
}

/// "max" or a number and a period, in microseconds: the CPUs it allows, or none.
std::optional<double> quota_of(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return std::nullopt;
  return quota / period;
}

std::optional<double> quota_v2(const std::string& folder) {
  std::ifstream in(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max") return std::nullopt;
  return quota_of(std::strtod(quota.c_str(), nullptr), period);
}

std::optional<double> quota_v1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"),
      period_file(folder + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period)) return std::nullopt;
  return quota_of(quota, period);
}

}  // namespace

Topology Topology::detect() {
  const Handle topology = open_topology();
  if (!topology || hwloc_topology_load(topology.get()) != 0) return {};
  return read_topology(topology.get());
}

Topology Topology::synthetic(const std::string& description) {
  const Handle topology = open_topology();
  if (!topology || hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0)
    throw Error(Category::usage, fmt::format("'{}' describes no topology", description), "",
                "an hwloc synthetic description: pack:1 l3:2 core:8 pu:2");
  return read_topology(topology.get());
}

CpuSet allowed_cpus() {
  std::set<int> cpus;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    if (!ids.empty()) omp_get_place_proc_ids(place, ids.data());
    cpus.insert(ids.begin(), ids.end());
  }
  if (cpus.empty()) {
    // Grown until the kernel's mask fits: machines with more than 1024 CPUs.
    for (std::size_t most = 1024; most <= 1 << 20; most *= 2) {
      cpu_set_t* set = CPU_ALLOC(most);
      const std::size_t bytes = CPU_ALLOC_SIZE(most);
      CPU_ZERO_S(bytes, set);
      const bool known = sched_getaffinity(0, bytes, set) == 0;
      for (std::size_t cpu = 0; known && cpu < most; ++cpu)
        if (CPU_ISSET_S(cpu, bytes, set)) cpus.insert(static_cast<int>(cpu));
      CPU_FREE(set);
      if (known) break;
    }
  }
  if (cpus.empty()) cpus.insert(0);
  return {cpus.begin(), cpus.end()};
}

std::optional<int> allowed_core_count(const Topology& topology, const CpuSet& allowed) {
  if (topology.cores.empty()) return std::nullopt;
  return static_cast<int>(std::ranges::count_if(
      topology.cores, [&](const auto& core) { return !allowed_of(core, allowed).empty(); }));
}

int width_from_counts(int available, std::optional<int> cores) {
  available = std::max(available, 1);
  const int width = cores.value_or(0) > 0 ? *cores : available / 2;
  return std::clamp(width, 1, available);
}

std::optional<int> cpu_quota(const std::string& root) {
  std::optional<double> least;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == std::string::npos) continue;
    const std::string base = root + (unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu");
    for (std::string group = line.substr(second + 1);;) {
      if (group == "/") group.clear();
      const auto quota = unified ? quota_v2(base + group) : quota_v1(base + group);
      if (quota) least = std::min(least.value_or(*quota), *quota);
      if (group.empty()) break;
      group.resize(group.rfind('/'));
    }
  }
  if (!least) return std::nullopt;
  return std::max(1, static_cast<int>(*least));
}

DefaultWidth default_width(const Topology& topology, const CpuSet& allowed,
                           std::optional<int> quota) {
  const auto available = static_cast<int>(allowed.size());
  const std::optional<int> cores = allowed_core_count(topology, allowed);
  DefaultWidth result;
  result.width = width_from_counts(available, cores);
  result.why =
      cores.value_or(0) > 0
          ? fmt::format("{} physical core{} in the affinity mask", *cores, *cores == 1 ? "" : "s")
          : fmt::format("half of {} allowed CPUs, the topology is unknown", available);
  if (quota && *quota < result.width) {
    result.width = *quota;
    result.why += fmt::format(", a quota of {}", *quota);
  }
  return result;
}

std::vector<int> placement(const Topology& topology, const CpuSet& allowed, int width, Bind bind) {
  // The first allowed CPU of every core, by last-level cache.
  std::map<int, std::vector<int>> by_cache;
  std::size_t cores = 0;
  for (const Topology::Core& core : topology.cores)
    if (const CpuSet cpus = allowed_of(core, allowed); !cpus.empty()) {
      by_cache[core.last_level].push_back(cpus.front());
      ++cores;
    }
  std::vector<int> order;
  if (cores == 0 || cores == allowed.size()) {
    order = allowed;
  } else if (bind == Bind::spread) {
    for (std::size_t turn = 0; order.size() < cores; ++turn)
      for (const auto& [cache, cpus] : by_cache)
        if (turn < cpus.size()) order.push_back(cpus[turn]);
  } else {
    for (const auto& [cache, cpus] : by_cache) order.insert(order.end(), cpus.begin(), cpus.end());
  }
  std::vector<int> members;
  for (int m = 0; m < width; ++m)
    members.push_back(order[static_cast<std::size_t>(m) % order.size()]);
  return members;
}

}  // namespace tt::core
