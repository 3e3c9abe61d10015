#include <doctest/doctest.h>

#include "core/plan/search.hpp"
#include "tests/core/plan/networks.hpp"

using namespace tt::core;
using namespace tt::core::testing;

namespace {

constexpr Minimize objectives[] = {Minimize::time, Minimize::flops, Minimize::size,
                                   Minimize::write};

}  // namespace

TEST_CASE("refining never makes an order worse and reaches the best of small networks") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const Network network = random_network(random, 8 + static_cast<int>(seed % 20));
    for (const Minimize minimize : objectives) {
      CAPTURE(seed);
      CAPTURE(static_cast<int>(minimize));
      const Objective objective(minimize, DType::float64, nullptr);
      const Pairs left = left_order(network);
      Effort effort{1e8};
      const Pairs refined = refined_order(network, left, objective, 8, effort);
      const Score score = score_of(network, refined, objective);
      CHECK(score.main <= score_of(network, left, objective).main * (1 + 1e-12));
      if (network.tensors.size() == 8 && minimize != Minimize::size)
        CHECK(score.main ==
              doctest::Approx(exact_order(network, objective, OuterProducts::never)->score.main));
    }
  }
}

TEST_CASE("depth first keeps few intermediates, the hungrier input first") {
  // Two chains of three that meet; all first pairs stand before the second ones.
  Network network;
  network.tensors = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}};
  network.extents = {2, 2, 2, 2, 2, 2};
  network.open = {0, 0, 0, 0, 0, 0};
  const Pairs wide = {{0, 1}, {3, 4}, {6, 2}, {7, 5}, {8, 9}};
  CHECK(depth_first_order(network, wide) == Pairs{{0, 1}, {6, 2}, {3, 4}, {8, 5}, {7, 9}});
  network.extents = {2, 2, 2, 2, 2, 9};  // the second chain passes a large intermediate
  CHECK(depth_first_order(network, wide) == Pairs{{3, 4}, {6, 5}, {0, 1}, {8, 2}, {9, 7}});
}
