#include "core/cost/model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

#include "core/cost/host_class.hpp"
#include "core/error.hpp"

using namespace tt::core;

namespace {

__extension__ using Wide = __int128;

/// The first number of units whose estimate reaches what `least_ns` of dispatch asks for.
std::int64_t floor_units(std::int64_t rate_millionths, std::int64_t required) {
  std::int64_t units = required * 1'000'000 / rate_millionths;
  while (estimate_ns(static_cast<std::uint64_t>(units), rate_millionths) < required) ++units;
  while (units > 0 &&
         estimate_ns(static_cast<std::uint64_t>(units - 1), rate_millionths) >= required)
    --units;
  return units;
}

const DispatchCosts& apple() {
  return find_builtin_host_class("aarch64-apple")->dispatch;
}

/// D(width) as an exact fraction of nanoseconds, rounded half up: by plain definition.
std::int64_t plain_cost(const WidthCosts& costs, int width) {
  const auto a = costs.anchors();
  if (width <= a.front().width) return a.front().ns;
  Wide numerator = 0, denominator = 1;
  if (width >= a.back().width) {
    numerator = Wide{a.back().ns} * width;
    denominator = a.back().width;
  } else {
    std::size_t high = 0;
    while (a[high].width < width) ++high;
    if (a[high].width == width) return a[high].ns;
    const auto low = high - 1;
    denominator = a[high].width - a[low].width;
    numerator = a[low].ns * denominator + (Wide{a[high].ns} - a[low].ns) * (width - a[low].width);
  }
  return static_cast<std::int64_t>((2 * numerator + denominator) / (2 * denominator));
}

/// The width by brute force in exact arithmetic: objectives are compared as fractions over k.
int plain_width(const WidthCosts& costs, std::int64_t pays_millionths, std::int64_t estimate,
                int sections, int budget) {
  int best = 1;
  for (int k = 2; k <= budget; ++k) {
    const Wide cost = Wide{sections} * plain_cost(costs, k);
    if (Wide{estimate} * 1'000'000 < cost * pays_millionths) continue;
    if (best == 1) {
      best = k;
      continue;
    }
    const Wide best_cost = Wide{sections} * plain_cost(costs, best);
    if ((cost * k + estimate) * best < (best_cost * best + estimate) * k) best = k;
  }
  return best;
}

}  // namespace

TEST_CASE("dispatch costs: the worked examples") {
  const DispatchCosts& avx512 = find_builtin_host_class("x86_64-avx512")->dispatch;
  CHECK(avx512.pool.at(8) == 4667);
  CHECK(avx512.outside.at(8) == 11600);
  CHECK(avx512.team.at(8) == 980);
  const WidthCosts flat = {{2, 1000}, {4, 1000}, {6, 1000}};
  CHECK(flat.at(1) == 1000);
  CHECK(flat.at(6) == 1000);
  CHECK(flat.at(12) == 2000);
  CHECK(flat.at(24) == 4000);
  CHECK(flat.at(48) == 8000);
  CHECK(apple().team.at(3) == 2650);
  CHECK(apple().team.at(5) == 1850);
  CHECK(apple().team.at(9) == 2100);
}

TEST_CASE("a 24 us region of one section on a flat 1 us row with a budget of 64 takes width 12") {
  const WidthCosts flat = {{2, 1000}, {4, 1000}, {6, 1000}};
  CHECK(width_for(flat, {}, 24'000, 1, 64) == 12);
}

TEST_CASE("a 64^3 product on the generic team pays at width 4, not at 8") {
  const WidthCosts& team = find_builtin_host_class("generic")->dispatch.team;
  const std::int64_t estimate = estimate_ns(64 * 64 * 64, 37'000);
  CHECK(estimate == 9699);
  CHECK(pays_at(team, {}, estimate, 1, 4));
  CHECK(!pays_at(team, {}, estimate, 1, 8));
  CHECK(!pays_at(team, {}, 1'000'000'000, 1, 1));
}

TEST_CASE("a column split of a block apply: serial up to M = 72, parallel from 80") {
  const auto estimate = [](std::uint64_t M) {
    const std::uint64_t N = 8, K = M - 8;
    return estimate_ns(2 * M * N * K, 37'000) + estimate_ns(M * K, 212'000);
  };
  for (const std::uint64_t M : {56u, 64u, 72u})
    CHECK(width_for(apple().team, {}, estimate(M), 1, 6) == 1);
  CHECK(width_for(apple().team, {}, estimate(80), 1, 6) == 6);
}

TEST_CASE("derived floors of the reference class, widths by the objective") {
  struct Row {
    const char* work;
    std::int64_t rate;
    int sections;
    std::int64_t team, pool, outside;
  };
  const Row rows[] = {
      {"gemm f64", 37'000, 1, 113'514, 445'946, 1'135'136},
      {"gemm complex128", 165'000, 1, 25'455, 100'000, 254'546},
      {"copy", 90'000, 1, 46'667, 183'334, 466'667},
      {"map", 100'000, 1, 42'000, 165'000, 420'000},
      {"exp", 1'380'000, 1, 3'044, 11'957, 30'435},
      {"sum", 81'000, 1, 51'852, 203'704, 518'519},
      {"lu.full step", 216'000, 1, 19'445, 76'389, 194'445},
      {"qr.colpiv step", 202'000, 1, 20'793, 81'684, 207'921},
      {"bidiag step", 480'000, 2, 17'500, 68'750, 175'000},
      {"tridiag step", 339'000, 1, 12'390, 48'673, 123'894},
      {"matvec", 100'000, 1, 42'000, 165'000, 420'000},
      {"sparse product", 1'500'000, 1, 2'800, 11'000, 28'000},
  };
  for (const Row& row : rows) {
    CAPTURE(row.work);
    for (const auto& [kind, floor] : {std::pair{TokenKind::team, row.team},
                                      {TokenKind::pool, row.pool},
                                      {TokenKind::outside, row.outside}}) {
      const WidthCosts& costs = apple().of(kind);
      const std::int64_t required = 3 * row.sections * costs.cheapest(6).ns;
      CHECK(floor_units(row.rate, required) == floor);
      const auto width = [&](std::int64_t units) {
        return width_for(costs, {}, estimate_ns(static_cast<std::uint64_t>(units), row.rate),
                         row.sections, 6);
      };
      CHECK(width(floor) > 1);
      CHECK(width(floor - 1) == 1);
    }
  }
}

TEST_CASE("floors of the reference design, which gated at the full width") {
  struct Row {
    const char* work;
    std::int64_t rate;
    int sections;
    std::int64_t outside;
  };
  const Row rows[] = {{"gemm f64", 37'000, 1, 1'540'541}, {"complex128", 165'000, 1, 345'455},
                      {"copy", 90'000, 1, 633'334},       {"map, matvec", 100'000, 1, 570'000},
                      {"exp", 1'380'000, 1, 41'305},      {"sum", 81'000, 1, 703'704},
                      {"lu.full", 216'000, 1, 263'889},   {"qr.colpiv", 202'000, 1, 282'179},
                      {"bidiag", 480'000, 2, 237'500},    {"tridiag", 339'000, 1, 168'142},
                      {"sparse", 1'500'000, 1, 38'000}};
  for (const Row& row : rows) {
    CAPTURE(row.work);
    const auto pays = [&](std::int64_t units) {
      return pays_at(apple().outside, {}, estimate_ns(static_cast<std::uint64_t>(units), row.rate),
                     row.sections, 6);
    };
    CHECK(pays(row.outside));
    CHECK(!pays(row.outside - 1));
  }
}

TEST_CASE("cubes: the first n whose n^3 reaches the floor") {
  const auto first_cube = [](std::int64_t rate, TokenKind kind) {
    std::uint64_t n = 2;
    while (width_for(apple().of(kind), {}, estimate_ns(n * n * n, rate), 1, 6) == 1) ++n;
    return n;
  };
  CHECK(first_cube(37'000, TokenKind::team) == 49);
  CHECK(first_cube(37'000, TokenKind::pool) == 77);
  CHECK(first_cube(37'000, TokenKind::outside) == 105);
  CHECK(first_cube(165'000, TokenKind::team) == 30);
  CHECK(first_cube(165'000, TokenKind::pool) == 47);
  CHECK(first_cube(165'000, TokenKind::outside) == 64);
}

TEST_CASE("joins are charged at width 2") {
  const auto first_n = [](TokenKind kind, auto units, std::int64_t rate) {
    std::uint64_t n = 1;
    while (!pays_at(apple().of(kind), {}, estimate_ns(units(n), rate), 1, 2)) ++n;
    return n;
  };
  // Both real halves count: n odd has two sizes.
  const auto halves = [](auto power) {
    return [power](std::uint64_t n) { return power(n / 2) + power(n - n / 2); };
  };
  const auto cube = halves([](std::uint64_t h) { return h * h * h; });
  const auto square = halves([](std::uint64_t h) { return h * h; });
  CHECK(first_n(TokenKind::team, cube, 9'600) == 156);
  CHECK(first_n(TokenKind::pool, cube, 9'600) == 196);
  CHECK(first_n(TokenKind::outside, cube, 9'600) == 260);
  CHECK(first_n(TokenKind::team, square, 53'000'000) == 19);
  CHECK(first_n(TokenKind::pool, square, 53'000'000) == 27);
  CHECK(first_n(TokenKind::outside, square, 53'000'000) == 40);
  CHECK(floor_units(37'000, 9'000) == 243'244);
  CHECK(floor_units(37'000, 18'000) == 486'487);
  CHECK(floor_units(37'000, 42'000) == 1'135'136);
}

TEST_CASE("widths equal a brute force in exact arithmetic on every built-in class") {
  std::mt19937_64 random(7);
  for (const HostClass& host : builtin_host_classes())
    for (const TokenKind kind : {TokenKind::team, TokenKind::pool, TokenKind::outside})
      for (int i = 0; i < 2000; ++i) {
        const WidthCosts& costs = host.dispatch.of(kind);
        const int budget = std::uniform_int_distribution(1, 130)(random);
        const int sections = std::uniform_int_distribution(1, 4)(random);
        const auto estimate = static_cast<std::int64_t>(
            std::pow(10.0, std::uniform_real_distribution(2.0, 9.0)(random)));
        const Pays pays{std::uniform_int_distribution(0, 1)(random) ? 3'000'000 : 1'250'000};
        CAPTURE(host.name);
        CAPTURE(token_kind_name(kind));
        CAPTURE(budget);
        CAPTURE(sections);
        CAPTURE(estimate);
        CHECK(costs.at(budget) == plain_cost(costs, budget));
        CHECK(width_for(costs, pays, estimate, sections, budget) ==
              plain_width(costs, pays.millionths, estimate, sections, budget));
      }
}

TEST_CASE("ties go to the smaller width") {
  // 6 us: 1 us + 3 us at width 2, 2 us + 2 us at width 3.
  const WidthCosts costs = {{2, 1000}, {3, 2000}};
  CHECK(width_for(costs, {1'000'000}, 6'000, 1, 3) == 2);
}

TEST_CASE("waking parked members is charged once a region") {
  const WidthCosts flat = {{2, 1000}};
  CHECK(required_ns({}, 2, 1000, 500) == 7500);
  CHECK(pays_at(flat, {}, 3'000, 1, 2, 0));
  CHECK(!pays_at(flat, {}, 3'000, 1, 2, 1));
  CHECK(width_for(flat, {}, 3'000, 1, 2, 1) == 1);
}

TEST_CASE("a multiple that is no integer is exact") {
  CHECK(required_ns({2'500'000}, 1, 1400) == 3500);
  const WidthCosts costs = {{2, 1400}};
  CHECK(pays_at(costs, {2'500'000}, 3'500, 1, 2));
  CHECK(!pays_at(costs, {2'500'000}, 3'499, 1, 2));
}

TEST_CASE("an explicit floor takes the best width without the pays test") {
  CHECK(width_unchecked(apple().team, 10, 1, 6) == 6);
  CHECK(width_unchecked(apple().team, 1'000'000, 1, 4) == 4);
  CHECK(width_unchecked(apple().team, 1'000'000, 1, 1) == 1);
}

TEST_CASE("anchors that make no table are refused") {
  using Anchors = std::vector<WidthCosts::Anchor>;
  const auto make = [](const Anchors& anchors) { return WidthCosts(anchors); };
  CHECK_THROWS_AS(make({}), Error);
  CHECK_THROWS_AS(make({{4, 1}, {2, 1}}), Error);
  CHECK_THROWS_AS(make({{0, 1}}), Error);
  CHECK_THROWS_AS(make({{65536, 1}}), Error);
  CHECK_THROWS_AS(make({{2, -1}}), Error);
  Anchors many;
  for (int w = 2; w < 15; ++w) many.push_back({w, 1});
  CHECK_THROWS_AS(make(many), Error);
  many.pop_back();
  CHECK(make(many).at(13) == 1);
}

TEST_CASE("a rate is linear in log2(units) and clamped") {
  const Rate rate({{64, 70'000}, {1024, 30'000}});
  CHECK(rate.at(1) == 70'000);
  CHECK(rate.at(64) == 70'000);
  CHECK(rate.at(256) == 50'000);
  CHECK(rate.at(1024) == 30'000);
  CHECK(rate.at(1e12) == 30'000);
  CHECK(Rate(37'000).at(5) == 37'000);
  CHECK(rate.halved().at(64) == 35'000);
  CHECK_THROWS_AS(Rate(std::vector<Rate::Anchor>{}), Error);
  CHECK_THROWS_AS(Rate({{4, 10}, {4, 10}}), Error);
  CHECK_THROWS_AS(Rate({{4, 0}}), Error);
}

TEST_CASE("estimates are floored to whole nanoseconds and do not wrap") {
  CHECK(estimate_ns(27, 37'000) == 0);
  CHECK(estimate_ns(28, 37'000) == 1);
  CHECK(estimate_ns(~std::uint64_t{0}, 1'000'000'000) == std::int64_t{1} << 62);
}
