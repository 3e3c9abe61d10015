#include <doctest/doctest.h>

#include "core/plan/search.hpp"
#include "tests/core/plan/networks.hpp"

using namespace tt::core;
using namespace tt::core::testing;

namespace {

/// The best score over all orders of contraction, each pair tried at every step.
Score best_of_all(const Network& network, const Objective& objective, Contraction state,
                  Score so_far) {
  std::vector<int> live;
  for (int i = 0; i < state.tensor_count(); ++i)
    if (state.is_live(i)) live.push_back(i);
  if (live.size() == 1) return so_far;
  Score best{1e300, 1e300};
  for (std::size_t i = 0; i < live.size(); ++i)
    for (std::size_t j = i + 1; j < live.size(); ++j) {
      const int a = live[i], b = live[j];
      const auto sizes = state.pair_sizes(a, b);
      const Score step =
          objective.step(state.elements(a), state.elements(b), sizes.result, sizes.all);
      Contraction next = state;
      next.contract(a, b);
      best = std::min(best, best_of_all(network, objective, std::move(next),
                                        objective.combined(so_far, {}, step)));
    }
  return best;
}

constexpr Minimize objectives[] = {Minimize::time, Minimize::flops, Minimize::size,
                                   Minimize::write};

}  // namespace

TEST_CASE("the exact search finds the best of all orders") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const Network network = random_network(random, 3 + static_cast<int>(seed % 4));
    for (const Minimize minimize : objectives) {
      CAPTURE(seed);
      CAPTURE(static_cast<int>(minimize));
      const Objective objective(minimize, DType::float64, nullptr);
      const auto exact = exact_order(network, objective, OuterProducts::allowed);
      REQUIRE(exact.has_value());
      const Score best = best_of_all(network, objective, Contraction(network), {});
      CHECK(exact->score.main == doctest::Approx(best.main).epsilon(1e-12));
      CHECK(score_of(network, exact->pairs, objective).main ==
            doctest::Approx(best.main).epsilon(1e-12));
    }
  }
}

TEST_CASE("a network that does not hang together has no order without outer products") {
  Network network;
  network.tensors = {{0}, {0}, {1}, {1}};
  network.extents = {2, 3};
  network.open = {0, 0};
  const Objective objective(Minimize::flops, DType::float64, nullptr);
  CHECK_FALSE(exact_order(network, objective, OuterProducts::never).has_value());
  CHECK(exact_order(network, objective, OuterProducts::allowed)->pairs ==
        Pairs{{0, 1}, {2, 3}, {4, 5}});
  CHECK(components(network) == std::vector<std::vector<int>>{{0, 1}, {2, 3}});
}
