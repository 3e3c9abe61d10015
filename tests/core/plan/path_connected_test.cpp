#include <doctest/doctest.h>

#include "core/plan/search.hpp"
#include "tests/core/plan/networks.hpp"

using namespace tt::core;
using namespace tt::core::testing;

namespace {

constexpr Minimize objectives[] = {Minimize::time, Minimize::flops, Minimize::size,
                                   Minimize::write};

}  // namespace

TEST_CASE("the search over connected subsets agrees with the exact one without outer products") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const Network network = random_network(random, 4 + static_cast<int>(seed % 7));
    for (const Minimize minimize : objectives) {
      CAPTURE(seed);
      CAPTURE(static_cast<int>(minimize));
      const Objective objective(minimize, DType::float64, nullptr);
      const auto exact = exact_order(network, objective, OuterProducts::never);
      const Score bound = score_of(network, greedy_order(network), objective);
      const auto connected = connected_order(network, objective, bound, 1'000'000'000);
      REQUIRE(exact.has_value());
      REQUIRE(connected.has_value());
      CHECK(score_of(network, *connected, objective).main ==
            doctest::Approx(exact->score.main).epsilon(1e-12));
    }
  }
}

TEST_CASE("the search over connected subsets gives up when its work is spent") {
  std::mt19937 random(1);
  const Network network = random_network(random, 20);
  const Objective objective(Minimize::flops, DType::float64, nullptr);
  const Score bound = score_of(network, greedy_order(network), objective);
  CHECK_FALSE(connected_order(network, objective, bound, 1000).has_value());
}
