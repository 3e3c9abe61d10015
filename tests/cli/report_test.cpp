// What --stats and --trace tell, and that the forms of a trace say the same.
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_tt.hpp"

using namespace tt::test;
using Json = nlohmann::ordered_json;

namespace {

const std::vector<std::string> chain = {"einsum", "ij,jk,kl->il", "@20x30", "@30x40",
                                        "@40x10", "-o",           "c.npy"};

std::vector<std::string> chain_with(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = chain;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// The cells of a CSV line; a quoted one keeps its commas.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

/// A field of a record as its CSV cell: texts bare, null empty.
std::string as_cell(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

TEST_CASE("stats have every field of the contract") {
  TtFolder folder;
  const Outcome outcome = folder.run(chain_with({"--stats", "--stats-out", "s.json"}));
  check_ok(outcome);
  CHECK(outcome.err == read_file(folder.file("s.json")));
  const Json stats = Json::parse(outcome.err);
  CHECK(keys(stats) == std::vector<std::string>{"command", "seconds", "flops", "gflops",
                                                "peak_rss_bytes", "peak_alloc_bytes",
                                                "predicted_peak_bytes", "requested_width",
                                                "planned_width", "realised_width", "host_class",
                                                "isa", "kind", "gates", "version"});
  CHECK(keys(stats["seconds"]) ==
        std::vector<std::string>{"load", "plan", "alloc", "compute", "store", "total"});
  CHECK(keys(stats["gates"]) == std::vector<std::string>{"parallel", "serial"});
  CHECK(stats["command"] == "einsum");
  // (A (B C)): 2 * (30*40*10 + 20*30*10) flops, less than ((A B) C).
  CHECK(stats["flops"] == 36000);
  CHECK(stats["kind"] == "team");
  CHECK(stats["gates"]["parallel"].get<int>() + stats["gates"]["serial"].get<int>() == 2);
  double sum = 0;
  for (const char* stage : {"load", "plan", "alloc", "compute", "store"})
    sum += stats["seconds"][stage].get<double>();
  CHECK(stats["seconds"]["total"].get<double>() == doctest::Approx(sum));
  const double predicted = stats["predicted_peak_bytes"], peak = stats["peak_alloc_bytes"];
  CHECK(predicted == doctest::Approx(peak).epsilon(0.05));
}

TEST_CASE("stats of a dry run tell the memory a job would ask for") {
  TtFolder folder;
  check_ok(folder.run({"matmul", "@20000x20000", "@20000x20000", "--dry-run", "--stats-out",
                       "s.json", "-o", "c.npy"}));
  CHECK(folder.listing() == std::vector<std::string>{"s.json"});
  const Json stats = Json::parse(read_file(folder.file("s.json")));
  CHECK(stats["predicted_peak_bytes"].get<double>() >= 3 * 20000.0 * 20000.0 * 8);
  CHECK(stats["flops"] == 2 * 20000.0 * 20000.0 * 20000.0);
  CHECK(stats["seconds"]["compute"] == 0);
}

TEST_CASE("a trace has one record a gate, the same in .jsonl and .csv") {
  TtFolder folder;
  check_ok(folder.run(chain_with({"--dry-run", "--trace-out", "t.jsonl"})));
  check_ok(folder.run(chain_with({"--dry-run", "--trace-out", "t.csv"})));
  const std::vector<std::string> json = lines_of(read_file(folder.file("t.jsonl")));
  const std::vector<std::string> csv = lines_of(read_file(folder.file("t.csv")));
  REQUIRE(json.size() == 2);
  REQUIRE(csv.size() == 3);
  const std::vector<std::string> names = cells_of(csv[0]);
  const std::set<std::string> columns(names.begin(), names.end());
  for (const char* field : {"seq",         "site",     "family",      "dims",
                            "units",       "rate_ns",  "estimate_ns", "sections",
                            "kind",        "budget",   "width",       "dispatch_ns",
                            "required_ns", "decision", "rule",        "realised_width",
                            "member",      "depth",    "measured_ns", "bytes",
                            "wake_ns",     "path"}) {
    CAPTURE(field);
    CHECK(columns.contains(field));
  }
  // Times that a run measures differ between two runs.
  const std::set<std::string> measured = {"measured_ns", "wake_ns", "start_ns"};
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Json record = Json::parse(json[i]);
    CHECK(keys(record) == names);
    const std::vector<std::string> cells = cells_of(csv[i + 1]);
    REQUIRE(cells.size() == names.size());
    for (std::size_t column = 0; column < names.size(); ++column) {
      if (measured.contains(names[column])) continue;
      CAPTURE(names[column]);
      CHECK(cells[column] == as_cell(record[names[column]]));
    }
  }
}

TEST_CASE("--trace is a table on standard error, a title and a line a gate") {
  TtFolder folder;
  const Outcome outcome = folder.run(chain_with({"--trace"}));
  check_ok(outcome);
  const std::vector<std::string> lines = lines_of(outcome.err);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("site "));
  CHECK(lines[1].starts_with("contract.step "));
}

TEST_CASE("a report that cannot be written is found out before the work") {
  TtFolder folder;
  for (const std::string option : {"--stats-out", "--trace-out"}) {
    const Outcome outcome = folder.run(chain_with({option, "none/t.csv"}));
    INFO(outcome.report);
    CHECK(outcome.status == 5);
    CHECK(folder.listing().empty());
  }
}
