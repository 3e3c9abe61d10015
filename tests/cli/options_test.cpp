// Values of the shared options, and the variables that stand for them.
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_tt.hpp"

using namespace tt::test;

namespace {

void check_refused(const std::vector<std::string>& options, const std::string& message) {
  TtFolder folder;
  std::vector<std::string> arguments = {"einsum", "ij", "@2x2", "-o", "c.npy"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  check_fails(folder.run(arguments), 2, "tt: einsum: " + message);
  CHECK(folder.listing().empty());
}

/// The stats of a product, with these variables and options.
nlohmann::json stats_of(const std::map<std::string, std::string>& environment,
                        std::vector<std::string> options = {}) {
  TtFolder folder;
  options.insert(options.begin(),
                 {"matmul", "@9x9", "@9x9", "-o", "c.npy", "--stats-out", "s.json"});
  check_ok(folder.run(options, {.environment = environment}));
  return nlohmann::json::parse(read_file(folder.file("s.json")));
}

}  // namespace

TEST_CASE("wrong values name what would be right") {
  check_refused({"--threads", "0"}, "'0' is no value of --threads: a whole number from 1 to 65535");
  check_refused({"--threads", "2.5"},
                "'2.5' is no value of --threads: a whole number from 1 to 65535");
  check_refused({"--plan-threads=-1"},
                "'-1' is no value of --plan-threads: a whole number from 1 to 65535");
  check_refused({"--precision", "x"},
                "'x' is no value of --precision: a whole number from 0 to 30");
  check_refused({"--compress", "10"}, "'10' is no value of --compress: a whole number from 0 to 9");
  check_refused({"--pays", "-1"}, "'-1' is no value of --pays: a number from 0 to 1000000");
  check_refused({"--memory-limit", "4 bytes"},
                "'4 bytes' is no value of --memory-limit: a size: 4GiB, 500MB, 1073741824");
  check_refused({"--token", "tem"}, "'tem' is no value of --token: known are team, pool, outside");
  check_refused({"--bind", "core"},
                "'core' is no value of --bind: known are cores, none, spread, close");
  check_refused({"--progress", "maybe"},
                "'maybe' is no value of --progress: known are auto, never, always");
  check_refused({"--dtype", "float23"},
                "'float23' is no value of --dtype: known are float32, float64, complex64, "
                "complex128, int64");
  check_refused({"--only", "X"}, "'X' is no result: --only: known are C");
  check_refused({"--par", "contract.*=zz"},
                "'contract.*=zz' is no override: --par: derived, never, SITE=derived, SITE=never "
                "or SITE=UNITS");
  check_refused({"--host-class", "x86_64-avx"},
                "'x86_64-avx' is no host class and no file: --host-class: known are x86_64-avx2, "
                "auto, native, aarch64-apple, x86_64-avx512, x86_64-scalar, generic");
  check_refused({"--trace-out", "t.txt"},
                "'t.txt' has no extension of a trace: --trace-out: known are .jsonl, .csv");
}

TEST_CASE("the width: option, TT_THREADS, OMP_NUM_THREADS, SLURM_CPUS_PER_TASK") {
  std::map<std::string, std::string> set = {{"SLURM_CPUS_PER_TASK", "5"}};
  CHECK(stats_of(set)["requested_width"] == 5);
  set["OMP_NUM_THREADS"] = "4,2";
  CHECK(stats_of(set)["requested_width"] == 4);
  set["TT_THREADS"] = "3";
  CHECK(stats_of(set)["requested_width"] == 3);
  CHECK(stats_of(set, {"--threads", "2"})["requested_width"] == 2);
}

TEST_CASE("a wrong TT_THREADS is an error, of OMP_NUM_THREADS it is somebody else's") {
  for (const std::string wrong : {"0", "two", "2x", "70000"}) {
    TtFolder folder;
    check_fails(
        folder.run({"einsum", "ij", "@2x2"}, {.environment = {{"TT_THREADS", wrong}}}), 2,
        "tt: einsum: '" + wrong + "' is no value of TT_THREADS: a whole number from 1 to 65535");
  }
  CHECK(stats_of({{"OMP_NUM_THREADS", "many"}, {"SLURM_CPUS_PER_TASK", "2"}})["requested_width"] ==
        2);
  CHECK(stats_of({{"TT_THREADS", ""}, {"SLURM_CPUS_PER_TASK", "2"}})["requested_width"] == 2);
}

TEST_CASE("TT_ISA and TT_HOST_CLASS act as their options, which win") {
  CHECK(stats_of({{"TT_ISA", "scalar"}})["isa"] == "scalar");
  CHECK(stats_of({{"TT_ISA", "nonsense"}}, {"--isa", "scalar"})["isa"] == "scalar");
  CHECK(stats_of({{"TT_HOST_CLASS", "aarch64-apple"}})["host_class"] == "aarch64-apple");
  CHECK(stats_of({{"TT_HOST_CLASS", "aarch64-apple"}}, {"--host-class", "generic"})["host_class"] ==
        "generic");
  TtFolder folder;
  const Outcome isa = folder.run({"host"}, {.environment = {{"TT_ISA", "mmx"}}});
  CHECK(isa.status == 2);
  CHECK(isa.err.starts_with("tt: host: unknown or unsupported ISA 'mmx': "));
  const Outcome host = folder.run({"host"}, {.environment = {{"TT_HOST_CLASS", "x"}}});
  CHECK(host.status == 2);
  CHECK(host.err.starts_with("tt: host: 'x' is no host class and no file: TT_HOST_CLASS: "));
}

TEST_CASE("a host class file that is none is bad data") {
  TtFolder folder;
  write_file(folder.file("h.json"), "{\"name\": 3");
  const Outcome outcome = folder.run({"host", "--host-class", "h.json"});
  INFO(outcome.report);
  CHECK(outcome.status == 4);
  CHECK(outcome.err.starts_with("tt: host: "));
  CHECK(outcome.err.find("h.json") != std::string::npos);
}

TEST_CASE("a team that OpenMP's own limit makes smaller gives the same result") {
  TtFolder folder;
  const std::vector<std::string> product = {"matmul", "@300x300",  "@300x300", "--pays",
                                            "0.0001", "--threads", "3"};
  const std::string free = check_ok(folder.run(product));
  CHECK(check_ok(folder.run(product, {.environment = {{"OMP_THREAD_LIMIT", "1"}}})) == free);
  CHECK(check_ok(folder.run(product, {.environment = {{"OMP_PROC_BIND", "close"}}})) == free);
}

TEST_CASE("sizes of the memory limit") {
  TtFolder folder;
  const auto limited = [&](const std::string& limit) {
    return folder.run({"matmul", "@100x100", "@100x100", "-o", "c.npy", "--memory-limit", limit});
  };
  for (const std::string enough : {"64MiB", "64MB", "0.1G", "100000K", "100000000"})
    check_ok(limited(enough));
  for (const std::string little : {"1KiB", "80KB", "100"}) {
    const Outcome outcome = limited(little);
    INFO(outcome.report);
    CHECK(outcome.status == 6);
    CHECK(outcome.err.starts_with("tt: matmul: the plan needs "));
  }
}
