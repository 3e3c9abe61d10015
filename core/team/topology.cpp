#include "core/team/topology.hpp"

#include <hwloc.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "core/error.hpp"

namespace tt::core {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Handle = std::unique_ptr<hwloc_topology, Destroy>;

/// A topology that will hold cores, threads and caches only; null without memory.
Handle open_topology() {
  // The plugins (OpenCL, CUDA, PCI) are opened by hwloc_topology_init, before any filter applies.
  // An empty search path is the only setting that keeps all of them out, whatever their names.
  setenv("HWLOC_PLUGINS_PATH", "", 1);
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Handle topology(raw);
  // The cpuid component moves this thread to every CPU in turn; the kernel's tables say the same.
  hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (const auto type : {HWLOC_OBJ_CORE, HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE})
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  // Which CPUs are allowed is asked elsewhere: OpenMP may know more than the mask of this thread.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return topology;
}

std::int64_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  return cache ? static_cast<std::int64_t>(cache->attr->cache.size) : 0;
}

/// The outermost cache that a core hangs on. Null when none is known: all such cores share one.
hwloc_obj_t last_level_cache(hwloc_obj_t core) {
  hwloc_obj_t outermost = nullptr;
  for (hwloc_obj_t object = core->parent; object; object = object->parent)
    if (hwloc_obj_type_is_cache(object->type)) outermost = object;
  return outermost;
}

Topology read_topology(hwloc_topology_t topology) {
  Topology result;
  result.caches = {cache_bytes(topology, HWLOC_OBJ_L1CACHE),
                   cache_bytes(topology, HWLOC_OBJ_L2CACHE),
                   cache_bytes(topology, HWLOC_OBJ_L3CACHE)};
  std::map<hwloc_obj_t, int> index_of_cache;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, object))) {
    Topology::Core core;
    for (int cpu = hwloc_bitmap_first(object->cpuset); cpu >= 0;
         cpu = hwloc_bitmap_next(object->cpuset, cpu))
      core.cpus.push_back(cpu);
    const int next_index = static_cast<int>(index_of_cache.size());
    core.last_level =
        index_of_cache.try_emplace(last_level_cache(object), next_index).first->second;
    result.cores.push_back(std::move(core));
  }
  result.last_level_caches = static_cast<int>(index_of_cache.size());
  return result;
}

/// The mask of the calling thread; empty when the kernel does not tell.
CpuSet affinity_mask() {
  CpuSet cpus;
  // The kernel refuses a set smaller than its own, whose size it does not tell.
  for (int cpus_max = 1024; cpus_max <= 1 << 20; cpus_max *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(cpus_max), [](cpu_set_t* owned) { CPU_FREE(owned); });
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus_max);
    if (!set || sched_getaffinity(0, bytes, set.get()) != 0) continue;
    for (int cpu = 0; cpu < cpus_max; ++cpu)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set.get())) cpus.push_back(cpu);
    break;
  }
  return cpus;
}

/// The first allowed CPU of every core, with the core's last-level cache, in the order of the mask.
struct Seat {
  int cpu;
  int last_level;
};
std::vector<Seat> seats(const Topology& topology, const CpuSet& allowed) {
  std::map<int, std::size_t> core_of_cpu;
  for (std::size_t i = 0; i < topology.cores.size(); ++i)
    for (const int cpu : topology.cores[i].cpus) core_of_cpu.emplace(cpu, i);
  std::vector<Seat> result;
  std::set<std::size_t> taken;
  for (const int cpu : allowed)
    if (const auto found = core_of_cpu.find(cpu);
        found != core_of_cpu.end() && taken.insert(found->second).second)
      result.push_back({cpu, topology.cores[found->second].last_level});
  return result;
}

/// Where the control groups of one hierarchy are visible: the group `group` is the folder `folder`.
struct Mount {
  bool unified = false;
  std::string group;  // "" for the root of the hierarchy
  std::string folder;
};

/// "rw,cpu,cpuacct" has "cpu", "rw,cpuset" has not.
bool has_word(const std::string& list, std::string_view word) {
  return fmt::format(",{},", list).find(fmt::format(",{},", word)) != std::string::npos;
}

/// The hierarchies that may carry a CPU quota. A container often sees its own group as the mount's
/// root, so the folder of a group does not follow from its name alone.
std::vector<Mount> cpu_mounts(const std::string& root) {
  std::vector<Mount> mounts;
  std::ifstream in(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    // 31 24 0:27 /group /sys/fs/cgroup/cpu rw,nosuid shared:9 - cgroup cgroup rw,cpu
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream head(line.substr(0, dash)), tail(line.substr(dash + 3));
    std::string skipped, group, folder, type, options;
    head >> skipped >> skipped >> skipped >> group >> folder;
    tail >> type >> skipped >> options;
    if (type == "cgroup2" || (type == "cgroup" && has_word(options, "cpu")))
      mounts.push_back({type == "cgroup2", group == "/" ? "" : group, root + folder});
  }
  if (mounts.empty())
    mounts = {{true, "", root + "/sys/fs/cgroup"}, {false, "", root + "/sys/fs/cgroup/cpu"}};
  return mounts;
}

/// The quota written in the folder of one group; "max" and -1 say that there is none.
std::optional<int> quota_in(const std::string& folder, bool unified) {
  std::int64_t quota_us = 0, period_us = 0;
  if (unified) {
    std::ifstream both(folder + "/cpu.max");
    both >> quota_us >> period_us;
  } else {
    std::ifstream(folder + "/cpu.cfs_quota_us") >> quota_us;
    std::ifstream(folder + "/cpu.cfs_period_us") >> period_us;
  }
  if (quota_us <= 0 || period_us <= 0) return std::nullopt;
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(quota_us / period_us, std::int64_t{1}, most));
}

void keep_least(std::optional<int>& least, std::optional<int> quota) {
  if (quota) least = std::min(least.value_or(*quota), *quota);
}

/// The least quota of `group` and its ancestors, as far as the mount shows them.
std::optional<int> quota_of(const Mount& mount, std::string group) {
  const bool inside = group.starts_with(mount.group) &&
                      (group.size() == mount.group.size() || group[mount.group.size()] == '/');
  // Of a group outside the mounted part of the tree, only the mount's root can be looked at.
  group = inside ? group.substr(mount.group.size()) : "";
  std::optional<int> least = quota_in(mount.folder, mount.unified);
  for (std::size_t end = group.size(); end != std::string::npos && end > 0;
       end = group.rfind('/', end - 1))
    keep_least(least, quota_in(mount.folder + group.substr(0, end), mount.unified));
  return least;
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
                "an hwloc synthetic description, as in \"pack:1 l3:2 core:8 pu:2\"");
  return read_topology(topology.get());
}

CpuSet allowed_cpus() {
  std::set<int> cpus;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    cpus.insert(ids.begin(), ids.end());
  }
  return cpus.empty() ? affinity_mask() : CpuSet(cpus.begin(), cpus.end());
}

std::optional<int> allowed_core_count(const Topology& topology, const CpuSet& allowed) {
  if (topology.cores.empty()) return std::nullopt;
  return static_cast<int>(seats(topology, allowed).size());
}

int width_from_counts(int available, std::optional<int> cores) {
  const int width = cores.value_or(0) > 0 ? *cores : available / 2;
  return std::clamp(width, 1, std::max(available, 1));
}

std::optional<int> cpu_quota(const std::string& root) {
  std::optional<int> least;
  const std::vector<Mount> mounts = cpu_mounts(root);
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // 4:cpu,cpuacct:/group of version 1, 0::/group of version 2
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && !has_word(controllers, "cpu")) continue;
    for (const Mount& mount : mounts)
      if (mount.unified == unified) keep_least(least, quota_of(mount, line.substr(second + 1)));
  }
  return least;
}

DefaultWidth default_width(const Topology& topology, const CpuSet& allowed,
                           std::optional<int> quota) {
  const int available = static_cast<int>(allowed.size());
  const int cores = allowed_core_count(topology, allowed).value_or(0);
  DefaultWidth result;
  result.width = width_from_counts(available, cores);
  if (quota && *quota < result.width) {
    result.width = std::max(*quota, 1);
    result.why = fmt::format("quota of {} CPU{}", result.width, result.width == 1 ? "" : "s");
  } else if (cores > 0) {
    result.why =
        fmt::format("{} physical core{} in the affinity mask", cores, cores == 1 ? "" : "s");
  } else {
    result.why = fmt::format("half of {} allowed CPUs, the cores are unknown", available);
  }
  return result;
}

std::vector<int> placement(const Topology& topology, const CpuSet& allowed, int width, Bind bind) {
  std::vector<int> order;
  const std::vector<Seat> known = seats(topology, allowed);
  if (known.empty() || known.size() == allowed.size()) {
    order = allowed;
  } else {
    std::map<int, std::vector<int>> cpus_of_cache;
    for (const Seat& seat : known) cpus_of_cache[seat.last_level].push_back(seat.cpu);
    if (bind == Bind::spread) {
      for (std::size_t turn = 0; order.size() < known.size(); ++turn)
        for (const auto& [cache, cpus] : cpus_of_cache)
          if (turn < cpus.size()) order.push_back(cpus[turn]);
    } else {
      for (const auto& [cache, cpus] : cpus_of_cache)
        order.insert(order.end(), cpus.begin(), cpus.end());
    }
  }
  std::vector<int> members;
  if (order.empty()) return members;
  for (int member = 0; member < width; ++member)
    members.push_back(order[static_cast<std::size_t>(member) % order.size()]);
  return members;
}

}  // namespace tt::core
