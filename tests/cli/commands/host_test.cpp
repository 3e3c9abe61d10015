// host: the machine as tt sees it, inside the affinity mask.
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_tt.hpp"

using namespace tt::test;
using Json = nlohmann::json;

TEST_CASE("host has every field of the contract") {
  TtFolder folder;
  const Json host = Json::parse(check_ok(folder.run({"host", "--json"})));
  for (const char* field : {"cpu", "isa", "host_class", "class_source", "default_width", "why",
                            "allowed_cpus", "cores", "quota", "caches", "dispatch_ns", "rates"}) {
    CAPTURE(field);
    CHECK(host.contains(field));
  }
  CHECK(host["class_source"] == "detected");
  CHECK(!host.contains("census"));
}

TEST_CASE("an affinity mask of one CPU is a width of one") {
  TtFolder folder;
  const Json host = Json::parse(check_ok(folder.run_shell(
      "cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//'); taskset -c $cpu $TT host --json")));
  CHECK(host["allowed_cpus"].size() == 1);
  CHECK(host["default_width"] == 1);
}

TEST_CASE("the census lists the members of a real team") {
  TtFolder folder;
  const Json host =
      Json::parse(check_ok(folder.run({"host", "--census", "--json", "--threads", "3"})));
  CHECK(host["census"].size() == 3);
}

TEST_CASE("the tables are those of the chosen class") {
  TtFolder folder;
  const std::string text = check_ok(folder.run({"host", "--host-class", "aarch64-apple"}));
  CHECK(text.find("host class     aarch64-apple (--host-class)\n") != std::string::npos);
  CHECK(text.find("\ndispatch: [width, ns], ...\n  team ") != std::string::npos);
}
