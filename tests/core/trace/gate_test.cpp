#include "core/trace/gate.hpp"

#include <doctest/doctest.h>

#include "core/error.hpp"

using namespace tt::core;

namespace {

const HostClass& apple() {
  return *find_builtin_host_class("aarch64-apple");
}

Gate product(std::uint64_t units) {
  return {.site = "gemm.product", .work = {Family::gemm, DType::float64, units, 0}};
}

Record decided(const Gate& gate, int budget = 6, const char* par = "derived",
               TokenKind kind = TokenKind::team, std::int64_t wake_ns = 0) {
  const ParOverrides overrides = ParOverrides::parse(par);
  return decide(gate, {.kind = kind,
                       .budget = budget,
                       .pays = {},
                       .host = &apple(),
                       .overrides = &overrides,
                       .wake_ns = wake_ns});
}

void check_overrides_refused(const char* text) {
  CAPTURE(text);
  CHECK_THROWS_AS(ParOverrides::parse(text), Error);
}

}  // namespace

TEST_CASE("a region that pays states the dispatch cost of its width") {
  const Record r = decided(product(1'000'000));
  CHECK(r.parallel);
  CHECK(r.rule == Rule::derived);
  CHECK(r.width == 6);
  CHECK(r.estimate_ns == 37'000);
  CHECK(r.rate_ns == 0.037);
  CHECK(r.dispatch_ns == 1400);
  CHECK(r.required_ns == 4200);
}

TEST_CASE("a serial record states the cheapest dispatch within the budget") {
  const Record below = decided(product(1000));
  CHECK(!below.parallel);
  CHECK(below.width == 1);
  CHECK(below.rule == Rule::min_cost);
  CHECK(below.dispatch_ns == 1400);
  CHECK(below.required_ns == 4200);
  // 5 us: above 3 * 1.4 us, the least of all anchors, but not above 3 * 2.3 us, the best within 4.
  const Record between = decided(product(135'136), 4);
  CHECK(between.rule == Rule::derived);
  CHECK(!between.parallel);
  CHECK(between.dispatch_ns == 2300);
  CHECK(between.required_ns == 6900);
}

TEST_CASE("a budget of 1 is a serial token without costs") {
  const Record r = decided(product(1'000'000'000), 1);
  CHECK(!r.parallel);
  CHECK(rule_text(r) == "serial-token");
  CHECK(r.dispatch_ns < 0);
  CHECK(r.required_ns < 0);
}

TEST_CASE("overrides: never, an explicit floor, derived") {
  CHECK(rule_text(decided(product(1'000'000), 6, "never")) == "never");
  CHECK(!decided(product(1'000'000), 6, "gemm.*=never").parallel);
  CHECK(decided(product(1'000'000), 6, "lu.*=never").parallel);
  CHECK(decided(product(1000), 6, "gemm.product=1000").parallel);
  CHECK(rule_text(decided(product(1000), 6, "gemm.product=1000")) == "fixed");
  CHECK(!decided(product(999), 6, "gemm.product=1000").parallel);
  CHECK(decided(product(1'000'000), 6, "never,gemm.product=derived").parallel);
  CHECK(!decided(product(1'000'000), 6, "gemm.product=derived,gemm.*=never").parallel);
}

TEST_CASE("texts that are no override are refused") {
  for (const char* text : {"gemm.product=abc", "gemm.product=", "=never", "gemm.product=-5",
                           "sometimes", "", "never,", "5"})
    check_overrides_refused(text);
}

TEST_CASE("fewer than two tasks and shape rules are serial and say why") {
  Gate one = product(1'000'000);
  one.tasks = 1;
  CHECK(rule_text(decided(one)) == "shape:tasks");
  CHECK(!decided(one).parallel);
  Gate thin = product(1'000'000);
  thin.shape_rule = "deep";
  CHECK(rule_text(decided(thin)) == "shape:deep");
}

TEST_CASE("a join has width 2 and is charged there") {
  Gate join = product(243'244);
  join.fixed_width = 2;
  const Record r = decided(join);
  CHECK(r.parallel);
  CHECK(r.width == 2);
  CHECK(r.dispatch_ns == 3000);
  join.work.units = 243'243;
  CHECK(!decided(join).parallel);
  CHECK(decided(join).dispatch_ns == 3000);
}

TEST_CASE("wake and a second family count") {
  const Gate gate = product(113'514);
  CHECK(decided(gate).parallel);
  const Record woken = decided(gate, 6, "derived", TokenKind::team, 1000);
  CHECK(!woken.parallel);
  CHECK(woken.wake_ns == 1000);
  CHECK(woken.required_ns == 7200);
  Gate split = product(100'000);
  CHECK(!decided(split).parallel);
  split.extra_ns = 1000;
  CHECK(decided(split).estimate_ns == 4700);
  CHECK(decided(split).parallel);
}
