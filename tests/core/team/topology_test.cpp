#include "core/team/topology.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "core/error.hpp"

using namespace tt::core;
namespace fs = std::filesystem;

namespace {

CpuSet range(int count) {
  CpuSet cpus(static_cast<std::size_t>(count));
  std::iota(cpus.begin(), cpus.end(), 0);
  return cpus;
}

int width(const std::string& description, const CpuSet& allowed,
          std::optional<int> quota = std::nullopt) {
  return default_width(Topology::synthetic(description), allowed, quota).width;
}

/// A root folder with the files of control groups in it.
class FakeRoot {
 public:
  FakeRoot() : path_(fs::temp_directory_path() / ("tt_cgroup_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
  }
  ~FakeRoot() { fs::remove_all(path_); }
  FakeRoot& file(const std::string& name, const std::string& text) {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return *this;
  }
  std::string path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("the table of counts") {
  CHECK(width_from_counts(16, 16) == 16);
  CHECK(width_from_counts(32, 16) == 16);
  CHECK(width_from_counts(96, 48) == 48);
  CHECK(width_from_counts(4, 9) == 4);
  CHECK(width_from_counts(8, 0) == 4);
  CHECK(width_from_counts(16, std::nullopt) == 8);
  CHECK(width_from_counts(1, std::nullopt) == 1);
  CHECK(width_from_counts(0, std::nullopt) == 1);
}

TEST_CASE("synthetic topologies: cores, threads, last-level caches") {
  const Topology smt = Topology::synthetic("pack:1 l3:2 l2:4 core:1 pu:2");
  CHECK(smt.cores.size() == 8);
  CHECK(smt.cores[0].cpus.size() == 2);
  CHECK(smt.last_level_caches == 2);
  CHECK(smt.cores[0].last_level == 0);
  CHECK(smt.cores[7].last_level == 1);
  CHECK_THROWS_AS(Topology::synthetic("no such thing"), Error);
}

TEST_CASE("the default width is physical cores in the mask") {
  CHECK(width("core:16 pu:2", range(32)) == 16);
  CHECK(width("core:16 pu:1", range(16)) == 16);
  // taskset -c 0,2,...,30 on 16 cores with 32 threads: all 16 are distinct cores.
  CpuSet even;
  for (int cpu = 0; cpu < 32; cpu += 2) even.push_back(cpu);
  CHECK(width("core:16 pu:2", even) == 16);
  CHECK(width("core:16 pu:2", {0, 1, 2, 3}) == 2);
  CHECK(width("core:16 pu:2", {5}) == 1);
  CHECK(width("pack:2 core:24 pu:2", range(96)) == 48);
}

TEST_CASE("an unknown topology is unknown, never one") {
  CHECK(!allowed_core_count(Topology{}, range(16)).has_value());
  CHECK(default_width(Topology{}, range(16), std::nullopt).width == 8);
  CHECK(default_width(Topology{}, range(1), std::nullopt).width == 1);
  CHECK(default_width(Topology{}, range(16), std::nullopt).why.find("unknown") !=
        std::string::npos);
}

TEST_CASE("the quota bounds the width and is named") {
  CHECK(width("core:16 pu:2", range(32), 3) == 3);
  CHECK(width("core:2 pu:1", range(2), 3) == 2);
  CHECK(default_width(Topology::synthetic("core:8 pu:1"), range(8), 2).why.find("quota of 2") !=
        std::string::npos);
}

TEST_CASE("quotas of version 2, every ancestor, floored, at least 1") {
  FakeRoot root;
  root.file("proc/self/cgroup", "0::/a/b\n");
  CHECK(!cpu_quota(root.path()).has_value());
  root.file("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  CHECK(!cpu_quota(root.path()).has_value());
  root.file("sys/fs/cgroup/a/cpu.max", "350000 100000\n");
  CHECK(cpu_quota(root.path()) == 3);
  root.file("sys/fs/cgroup/a/b/cpu.max", "50000 100000\n");
  CHECK(cpu_quota(root.path()) == 1);
  root.file("sys/fs/cgroup/a/b/cpu.max", "900000 100000\n");
  CHECK(cpu_quota(root.path()) == 3);
}

TEST_CASE("quotas of version 1") {
  FakeRoot root;
  root.file("proc/self/cgroup", "5:memory:/x\n4:cpu,cpuacct:/x/y\n")
      .file("sys/fs/cgroup/cpu/x/y/cpu.cfs_quota_us", "-1\n")
      .file("sys/fs/cgroup/cpu/x/y/cpu.cfs_period_us", "100000\n");
  CHECK(!cpu_quota(root.path()).has_value());
  root.file("sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "250000\n")
      .file("sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  CHECK(cpu_quota(root.path()) == 2);
}

TEST_CASE("members are placed one a core, spread over caches or packed") {
  const Topology t = Topology::synthetic("l3:2 core:2 pu:2");  // cores 0-1 | 2-3, CPUs in pairs
  const CpuSet all = range(8);
  CHECK(placement(t, all, 4, Bind::close) == std::vector{0, 2, 4, 6});
  CHECK(placement(t, all, 4, Bind::spread) == std::vector{0, 4, 2, 6});
  CHECK(placement(t, all, 2, Bind::spread) == std::vector{0, 4});
  CHECK(placement(t, all, 5, Bind::close) == std::vector{0, 2, 4, 6, 0});
}

TEST_CASE("a mask of one CPU a core is a fixed point of both placements") {
  const Topology t = Topology::synthetic("l3:2 core:2 pu:2");
  const CpuSet mask = {1, 2, 5, 7};
  CHECK(placement(t, mask, 4, Bind::close) == mask);
  CHECK(placement(t, mask, 4, Bind::spread) == mask);
  CHECK(placement(Topology{}, mask, 4, Bind::spread) == mask);
}

TEST_CASE("this machine has allowed CPUs, and a width within them") {
  const CpuSet allowed = allowed_cpus();
  CHECK(!allowed.empty());
  const DefaultWidth here = default_width(Topology::detect(), allowed, std::nullopt);
  CHECK(here.width >= 1);
  CHECK(here.width <= static_cast<int>(allowed.size()));
}
