// Cores, caches and allowed CPUs of this machine, and the default width that follows
// (cost-model.md, section 8). The only user of hwloc. Topologies are also made from hwloc's
// synthetic descriptions, so that every rule can be tested on machines that are not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cost/host_class.hpp"

namespace tt::core {

/// Sorted CPU numbers (as the operating system counts them).
using CpuSet = std::vector<int>;

struct Topology {
  struct Core {
    CpuSet cpus;         // its hardware threads
    int last_level = 0;  // index of the last-level cache it hangs on
  };
  std::vector<Core> cores;  // empty: unknown
  CacheBytes caches;        // per core (l1d, l2) and per last-level cache (l3); 0 is unknown
  int last_level_caches = 0;

  /// Of this machine, through hwloc with plugins off; unknown (no cores) when hwloc cannot tell.
  static Topology detect();
  /// From an hwloc synthetic description ("pack:1 l3:2 core:8 pu:2"). Throws Error(usage) on a bad
  /// one.
  static Topology synthetic(const std::string& description);
};

/// The CPUs this process may use: the union of the OpenMP places when there are any (libgomp
/// shrinks the main thread's mask when OMP_PROC_BIND or OMP_PLACES is set), else sched_getaffinity.
CpuSet allowed_cpus();

/// The number of cores with at least one allowed CPU; none when the topology is unknown.
std::optional<int> allowed_core_count(const Topology& topology, const CpuSet& allowed);

/// The width of (available CPUs, known cores): cores when 1 <= cores <= available, else clamped; a
/// core count of 0 or none is unknown and gives available / 2; always within 1..available. Pure.
/// (16,16) 16; (32,16) 16; (96,48) 48; (4,9) 4; (8,0) 4; (16,none) 8.
int width_from_counts(int available, std::optional<int> cores);

/// The CPU quota of this process's control groups (v1 or v2, every ancestor), floored, at least 1;
/// none when there is no quota. `root` is where the file systems are looked for ("" in production).
std::optional<int> cpu_quota(const std::string& root = "");

struct DefaultWidth {
  int width = 1;
  std::string why;  // "4 physical cores in the affinity mask", "quota of 2 CPUs", ...
};
DefaultWidth default_width(const Topology& topology, const CpuSet& allowed,
                           std::optional<int> quota);

enum class Bind : std::uint8_t { none, cores, spread, close };

/// The CPU for each of `width` members, one per physical core inside the mask: `spread` deals over
/// the last-level caches in turn, `close` (and `cores`) fills one after the other. A mask that
/// already holds one CPU per core is a fixed point of both, in the order given. Fewer cores than
/// members: CPUs are used again from the start.
std::vector<int> placement(const Topology& topology, const CpuSet& allowed, int width, Bind bind);

}  // namespace tt::core
