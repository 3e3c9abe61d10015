#include <doctest/doctest.h>

#include "core/plan/search.hpp"
#include "tests/core/plan/networks.hpp"

using namespace tt::core;
using namespace tt::core::testing;

TEST_CASE("greedy takes the pair that shrinks most; ties by number") {
  Network network;  // ab, bc, cd with b long
  network.tensors = {{0, 1}, {1, 2}, {2, 3}};
  network.extents = {2, 50, 2, 2};
  network.open = {1, 0, 0, 1};
  CHECK(greedy_order(network) == Pairs{{0, 1}, {2, 3}});
  network.extents = {2, 2, 50, 2};
  CHECK(greedy_order(network) == Pairs{{1, 2}, {0, 3}});
}

TEST_CASE("noise gives other orders, the same for the same seed") {
  std::mt19937 random(5);
  const Network network = random_network(random, 30);
  const GreedyParams one{.inputs_weight = 1, .temperature = 1, .seed = 1};
  const GreedyParams two{.inputs_weight = 1, .temperature = 1, .seed = 2};
  CHECK(greedy_order(network, one) == greedy_order(network, one));
  CHECK(greedy_order(network, one) != greedy_order(network, two));
}

TEST_CASE("outer products take the smallest first") {
  CHECK(outer_order({100, 1, 10, 2}) == Pairs{{1, 3}, {2, 4}, {0, 5}});
  CHECK(outer_order({7}).empty());
}
