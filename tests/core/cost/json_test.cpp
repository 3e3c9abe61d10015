#include "core/cost/json.hpp"

#include <doctest/doctest.h>

#include "core/error.hpp"

using namespace tt::core;

namespace {

void check_refused(const char* text, const char* message) {
  CHECK_THROWS_WITH_AS(parse_host_class(text, "host.json"), doctest::Contains(message), Error);
}

}  // namespace

TEST_CASE("every built-in class survives a file") {
  for (const HostClass& host : builtin_host_classes()) {
    const std::string text = host_class_json(host);
    const HostClass back = parse_host_class(text, "host.json");
    CHECK(host_class_json(back) == text);
    CHECK(back.name == host.name);
    CHECK(back.dispatch.team.at(5) == host.dispatch.team.at(5));
    CHECK(back.dispatch.open_ns == host.dispatch.open_ns);
    CHECK(back.rate(Family::gemm, DType::complex64).at(9) ==
          host.rate(Family::gemm, DType::complex64).at(9));
  }
}

TEST_CASE("a file may leave out what the generic class has") {
  const HostClass host = parse_host_class(
      R"({"name": "mine", "dispatch_ns": {"team": [[2, 600], [4, 700]]},
          "rates": {"gemm": {"float64": [[64, 0.07], [1000000, 0.02]]}}})",
      "host.json");
  CHECK(host.dispatch.team.at(3) == 650);
  CHECK(host.dispatch.pool.at(2) == 15'000);
  CHECK(host.rate(Family::gemm, DType::float32).at(1) == 35'000);
  CHECK(host.rate(Family::matvec, DType::float64).at(1) == 100'000);
  CHECK(!host.counts_bytes);
}

TEST_CASE("what a file may not hold is named") {
  check_refused("{", "no JSON");
  check_refused("[]", "object");
  check_refused("{}", "no name");
  check_refused(R"({"name": "x", "speed": 1})", "unknown key 'speed'");
  check_refused(R"({"name": "x", "dispatch_ns": {"teem": []}})", "unknown key 'teem'");
  check_refused(R"({"name": "x", "dispatch_ns": {"team": []}})", "0 dispatch costs");
  check_refused(R"({"name": "x", "dispatch_ns": {"team": [[2.5, 1]]}})", "not whole");
  check_refused(R"({"name": "x", "dispatch_ns": {"team": [[2]]}})", "not a pair");
  check_refused(R"({"name": "x", "rates": {"gem": {}}})", "unknown family 'gem'");
  check_refused(R"({"name": "x", "rates": {"gemm": {"float77": []}}})", "unknown dtype");
  check_refused(R"({"name": "x", "rates": {"gemm": {"float64": [[1, -3]]}}})", "not a number");
  check_refused(R"({"name": 3})", "text");
}
