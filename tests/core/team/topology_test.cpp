#include "core/team/topology.hpp"

#include <doctest/doctest.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/error.hpp"
#include "core/team/census.hpp"

namespace {

using namespace tt::core;

/// first, first + step, ... up to and with last: taskset's 0-30:2.
CpuSet cpu_range(int first, int last, int step = 1) {
  CpuSet cpus;
  for (int cpu = first; cpu <= last; cpu += step) cpus.push_back(cpu);
  return cpus;
}

/// 16 cores, 32 threads: core i is CPUs 2i and 2i + 1.
Topology siblings_adjacent() {
  return Topology::synthetic("pack:1 core:16 pu:2");
}
/// 16 cores, 32 threads: core i is CPUs i and i + 16, as most x86 hosts count.
Topology siblings_apart() {
  return Topology::synthetic("pack:1 core:16 pu:2(indexes=2*16:1*2)");
}
/// 8 cores of 2 threads under 2 last-level caches: cache 0 holds CPUs 0-7, cache 1 CPUs 8-15.
Topology two_caches() {
  return Topology::synthetic("pack:1 l3:2 core:4 pu:2");
}

/// A file tree that stands for / and is removed with the object.
class FakeRoot {
 public:
  FakeRoot() {
    std::string name = (std::filesystem::temp_directory_path() / "topology_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  FakeRoot& write(const std::string& file, const std::string& text) {
    const std::filesystem::path path = path_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return *this;
  }
  FakeRoot& write_v1(const std::string& folder, const std::string& quota_us,
                     const std::string& period_us) {
    write(folder + "/cpu.cfs_quota_us", quota_us + "\n");
    return write(folder + "/cpu.cfs_period_us", period_us + "\n");
  }
  std::optional<int> quota() const { return cpu_quota(path_.string()); }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("width from counts") {
  const auto check_width = [](int available, std::optional<int> cores, int width) {
    CAPTURE(available);
    CAPTURE(cores.value_or(-1));
    CHECK(width_from_counts(available, cores) == width);
  };
  check_width(16, 16, 16);
  check_width(32, 16, 16);
  check_width(96, 48, 48);
  check_width(4, 9, 4);
  check_width(8, 0, 4);
  check_width(16, std::nullopt, 8);
  check_width(1, std::nullopt, 1);
  check_width(1, 1, 1);
  check_width(3, std::nullopt, 1);
  check_width(0, std::nullopt, 1);
  check_width(8, -1, 4);
}

TEST_CASE("a synthetic description gives cores, threads and last-level caches") {
  const Topology apart = siblings_apart();
  REQUIRE(apart.cores.size() == 16);
  CHECK(apart.cores[3].cpus == CpuSet{3, 19});
  CHECK(siblings_adjacent().cores[3].cpus == CpuSet{6, 7});
  CHECK(apart.last_level_caches == 1);

  const Topology sized =
      Topology::synthetic("pack:2 l3:2(size=32MiB) l2:4(size=1MiB) l1d:1(size=48KiB) core:1 pu:2");
  CHECK(sized.cores.size() == 16);
  CHECK(sized.last_level_caches == 4);
  CHECK(sized.cores[3].last_level == 0);
  CHECK(sized.cores[4].last_level == 1);
  CHECK(sized.cores[15].last_level == 3);
  CHECK(sized.caches.l1d == 48 * 1024);
  CHECK(sized.caches.l2 == 1024 * 1024);
  CHECK(sized.caches.l3 == 32 * 1024 * 1024);

  SUBCASE("without l3 the l2 is the last level") {
    const Topology no_l3 = Topology::synthetic("l2:2(size=2MiB) core:4 pu:1");
    CHECK(no_l3.last_level_caches == 2);
    CHECK(no_l3.cores[4].last_level == 1);
    CHECK(no_l3.caches.l3 == 0);
  }
}

TEST_CASE("a bad synthetic description is a usage error") {
  for (const char* description : {"core:x", "core:0", "no such thing", "pack:1 core:4"}) {
    CAPTURE(description);
    try {
      Topology::synthetic(description);
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.category() == Category::usage);
      CHECK(std::string(error.what()) ==
            "'" + std::string(description) +
                "' describes no topology: an hwloc synthetic description, as in "
                "\"pack:1 l3:2 core:8 pu:2\"");
    }
  }
}

TEST_CASE("cores inside a mask") {
  const auto check_cores = [](const Topology& topology, const CpuSet& allowed, int cores) {
    CAPTURE(allowed.size());
    CHECK(allowed_core_count(topology, allowed) == cores);
  };
  check_cores(siblings_adjacent(), cpu_range(0, 31), 16);
  check_cores(siblings_adjacent(), cpu_range(0, 15), 8);
  check_cores(siblings_adjacent(), {0, 1}, 1);
  check_cores(siblings_adjacent(), {1, 2}, 2);
  check_cores(siblings_apart(), cpu_range(0, 31), 16);
  check_cores(siblings_apart(), cpu_range(0, 15), 16);
  check_cores(siblings_apart(), {0, 16}, 1);
  check_cores(siblings_apart(), cpu_range(0, 30, 2), 8);
  check_cores(siblings_adjacent(), {}, 0);
  check_cores(siblings_adjacent(), {100}, 0);
  CHECK(allowed_core_count(Topology{}, {0, 1}) == std::nullopt);
}

TEST_CASE("taskset -c 0,2,...,30 on 16 cores of 2 threads reserves 16 cores, not 8") {
  const Topology topology = siblings_adjacent();
  const CpuSet allowed = cpu_range(0, 30, 2);
  REQUIRE(allowed.size() == 16);
  const DefaultWidth result = default_width(topology, allowed, std::nullopt);
  CHECK(result.width == 16);
  CHECK(result.why == "16 physical cores in the affinity mask");
  CHECK(placement(topology, allowed, 16, Bind::spread) == allowed);
  CHECK(placement(topology, allowed, 16, Bind::close) == allowed);
}

TEST_CASE("default width and its reason") {
  const auto check_default = [](const Topology& topology, const CpuSet& allowed,
                                std::optional<int> quota, int width, const char* why) {
    const DefaultWidth result = default_width(topology, allowed, quota);
    CHECK(result.width == width);
    CHECK(result.why == why);
  };
  check_default(siblings_apart(), cpu_range(0, 31), std::nullopt, 16,
                "16 physical cores in the affinity mask");
  check_default(siblings_apart(), {5, 21}, std::nullopt, 1, "1 physical core in the affinity mask");
  check_default(siblings_apart(), cpu_range(0, 31), 2, 2, "quota of 2 CPUs");
  check_default(siblings_apart(), cpu_range(0, 31), 1, 1, "quota of 1 CPU");
  check_default(siblings_apart(), cpu_range(0, 31), 64, 16,
                "16 physical cores in the affinity mask");
  // Unknown is not one.
  check_default(Topology{}, cpu_range(0, 15), std::nullopt, 8,
                "half of 16 allowed CPUs, the cores are unknown");
  check_default(Topology::synthetic("pu:8"), cpu_range(0, 7), std::nullopt, 4,
                "half of 8 allowed CPUs, the cores are unknown");
  check_default(Topology{}, cpu_range(0, 15), 3, 3, "quota of 3 CPUs");
}

TEST_CASE("placement takes one thread per core, spread over the caches or packed") {
  const auto check_placement = [](const Topology& topology, const CpuSet& allowed, int width,
                                  Bind bind, const std::vector<int>& cpus) {
    CAPTURE(width);
    CHECK(placement(topology, allowed, width, bind) == cpus);
  };
  const CpuSet all = cpu_range(0, 15);
  check_placement(two_caches(), all, 4, Bind::spread, {0, 8, 2, 10});
  check_placement(two_caches(), all, 8, Bind::spread, {0, 8, 2, 10, 4, 12, 6, 14});
  check_placement(two_caches(), all, 4, Bind::close, {0, 2, 4, 6});
  check_placement(two_caches(), all, 5, Bind::cores, {0, 2, 4, 6, 8});
  // More cores of one cache than of the other.
  check_placement(two_caches(), {0, 1, 2, 4, 8}, 4, Bind::spread, {0, 8, 2, 4});
  // Only the second thread of core 0 is allowed.
  check_placement(two_caches(), {1, 2, 3}, 2, Bind::close, {1, 2});
  // More members than cores: from the start again.
  check_placement(two_caches(), {0, 1, 8, 9}, 5, Bind::spread, {0, 8, 0, 8, 0});
  check_placement(two_caches(), all, 0, Bind::spread, {});
  check_placement(two_caches(), {}, 2, Bind::spread, {});
  check_placement(siblings_apart(), cpu_range(0, 31), 3, Bind::close, {0, 1, 2});
  check_placement(Topology{}, {3, 5}, 3, Bind::spread, {3, 5, 3});
}

TEST_CASE("a mask of one CPU per core is a fixed point of both placements, in its order") {
  const std::vector<CpuSet> masks = {
      {0, 2, 4, 6, 8, 10, 12, 14}, {1, 2, 5, 6, 8, 11}, {8, 0, 10, 2}, {14}};
  for (const CpuSet& mask : masks)
    for (const Bind bind : {Bind::spread, Bind::close, Bind::cores})
      CHECK(placement(two_caches(), mask, static_cast<int>(mask.size()), bind) == mask);

  SUBCASE("a placement placed again stays") {
    for (const Bind bind : {Bind::spread, Bind::close}) {
      const std::vector<int> once = placement(two_caches(), cpu_range(0, 15), 8, bind);
      CHECK(placement(two_caches(), once, 8, bind) == once);
    }
  }
}

TEST_CASE("quota of version 2: the least of all ancestors, floored, at least 1") {
  FakeRoot root;
  root.write("proc/self/cgroup", "0::/a/b/c\n");
  const std::string top = "sys/fs/cgroup";
  CHECK(root.quota() == std::nullopt);
  root.write(top + "/a/b/c/cpu.max", "max 100000\n");
  CHECK(root.quota() == std::nullopt);
  root.write(top + "/a/b/cpu.max", "650000 100000\n");
  CHECK(root.quota() == 6);
  root.write(top + "/a/cpu.max", "300000 100000\n");
  CHECK(root.quota() == 3);
  root.write(top + "/cpu.max", "150000 100000\n");
  CHECK(root.quota() == 1);
  root.write(top + "/a/b/c/cpu.max", "20000 100000\n");
  CHECK(root.quota() == 1);
  // Of another group.
  root.write("proc/self/cgroup", "0::/other\n").write(top + "/cpu.max", "max 100000\n");
  CHECK(root.quota() == std::nullopt);
}

TEST_CASE("quota of version 1: the least of all ancestors, -1 is none") {
  FakeRoot root;
  root.write("proc/self/cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/job/step\n0::/\n");
  const std::string top = "sys/fs/cgroup/cpu";
  root.write_v1(top, "-1", "100000").write_v1(top + "/job/step", "-1", "100000");
  CHECK(root.quota() == std::nullopt);
  root.write_v1(top + "/job", "250000", "100000");
  CHECK(root.quota() == 2);
  root.write_v1(top + "/job/step", "400000", "50000");
  CHECK(root.quota() == 2);
  // A quota of the group with the same name in the hierarchy of cpuset is not one.
  root.write_v1(top + "/x", "100000", "100000");
  CHECK(root.quota() == 2);
  root.write_v1(top, "1", "0");
  CHECK(root.quota() == 2);
}

TEST_CASE("quota of a container that sees its group as the root of the mount") {
  FakeRoot root;
  root.write("proc/self/cgroup", "4:cpu,cpuacct:/docker/1f/inner\n");
  root.write("proc/self/mountinfo",
             "24 1 0:22 / /sys rw - sysfs sysfs rw\n"
             "31 24 0:27 /docker/1f /sys/fs/cgroup/cpu,cpuacct ro,nosuid shared:9 - cgroup "
             "cgroup rw,cpu,cpuacct\n"
             "32 24 0:28 /docker/1f /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n");
  const std::string top = "sys/fs/cgroup/cpu,cpuacct";
  root.write_v1("sys/fs/cgroup/cpuset", "100000", "100000");
  CHECK(root.quota() == std::nullopt);
  root.write_v1(top, "500000", "100000");
  CHECK(root.quota() == 5);
  root.write_v1(top + "/inner", "300000", "100000");
  CHECK(root.quota() == 3);
  // /docker/1f2 is no child of /docker/1f, but hangs below what is mounted.
  root.write("proc/self/cgroup", "4:cpu,cpuacct:/docker/1f2\n");
  CHECK(root.quota() == 5);
}

TEST_CASE("quota with both versions mounted") {
  FakeRoot root;
  root.write("proc/self/cgroup", "1:cpu:/one\n0::/two\n");
  root.write("proc/self/mountinfo",
             "31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
             "32 24 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  root.write_v1("sys/fs/cgroup/cpu/one", "400000", "100000");
  CHECK(root.quota() == 4);
  root.write("sys/fs/cgroup/unified/two/cpu.max", "200000 100000\n");
  CHECK(root.quota() == 2);
}

TEST_CASE("broken control group files are no quota") {
  FakeRoot root;
  CHECK(root.quota() == std::nullopt);
  root.write("proc/self/cgroup", "nonsense\n0:\n0::a\n0::\n").write("proc/self/mountinfo", "x\n");
  root.write("sys/fs/cgroup/cpu.max", "");
  CHECK(root.quota() == std::nullopt);
  root.write("sys/fs/cgroup/cpu.max", "100000");
  CHECK(root.quota() == std::nullopt);
}

TEST_CASE("this machine: every allowed CPU is sorted, and detection does not move the thread") {
  cpu_set_t before, after;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  const Topology topology = Topology::detect();
  REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
  CHECK(CPU_EQUAL(&before, &after));

  const CpuSet allowed = allowed_cpus();
  REQUIRE(!allowed.empty());
  CHECK(std::ranges::is_sorted(allowed));
  const int width = default_width(topology, allowed, cpu_quota()).width;
  CHECK(width >= 1);
  CHECK(width <= static_cast<int>(allowed.size()));
  for (const int cpu : placement(topology, allowed, width, Bind::spread))
    CHECK(std::ranges::binary_search(allowed, cpu));
}

TEST_CASE("allowed CPUs follow the mask of the thread when there are no places") {
  if (omp_get_num_places() > 0) return;
  const int first = allowed_cpus().front();
  CpuSet seen;
  // On its own thread: the mask of the others stays.
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(first), &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) seen = allowed_cpus();
  }).join();
  CHECK(seen == CpuSet{first});
}

TEST_CASE("places of OpenMP count, not the one CPU libgomp leaves to the main thread") {
  if (omp_get_num_places() == 0) return;
  int processors = 0;
  for (int place = 0; place < omp_get_num_places(); ++place)
    processors += omp_get_place_num_procs(place);
  CHECK(static_cast<int>(allowed_cpus().size()) == processors);
}

TEST_CASE("the census lists every thread with its CPUs") {
  const int first = allowed_cpus().front();
  const std::size_t before = census().size();
  std::vector<MemberPlace> members;
  int thread_id = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(first), &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    thread_id = gettid();
    members = census();
  }).join();
  CHECK(members.size() == before + 1);
  CHECK(std::ranges::is_sorted(members, {}, &MemberPlace::thread_id));
  const auto find = [&](int id) { return std::ranges::find(members, id, &MemberPlace::thread_id); };
  REQUIRE(find(thread_id) != members.end());
  CHECK(find(thread_id)->cpus_allowed == std::to_string(first));
  REQUIRE(find(getpid()) != members.end());
  CHECK(!find(getpid())->cpus_allowed.empty());
}
