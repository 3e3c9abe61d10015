// The searches against an enumeration of all orders, and against each other.
#include "core/plan/search.hpp"

#include <doctest/doctest.h>

#include <random>

#include <fmt/format.h>

using namespace tt::core;

namespace {

/// A random connected network of few tensors: a path through all of them, and more labels (some of
/// them hyperedges) on top.
Network random_network(std::mt19937& random, int tensors) {
  Network network;
  network.tensors.resize(static_cast<std::size_t>(tensors));
  const auto add_label = [&](const std::vector<int>& holders) {
    const int label = static_cast<int>(network.extents.size());
    network.extents.push_back(static_cast<double>(2 + random() % 5));
    network.open.push_back(random() % 6 == 0);
    for (const int holder : holders) {
      LabelSet& set = network.tensors[static_cast<std::size_t>(holder)];
      if (set.empty() || set.back() != label) set.push_back(label);
    }
  };
  for (int i = 1; i < tensors; ++i) add_label({i - 1, i});
  const auto any = [&] { return static_cast<int>(random() % static_cast<unsigned>(tensors)); };
  for (int i = 0; i < tensors; ++i) {
    const int a = any(), b = any(), c = any();
    if (a == b) continue;
    if (random() % 4 == 0 && c != a && c != b)
      add_label({a, b, c});
    else
      add_label({a, b});
  }
  return network;
}

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

const Minimize objectives[] = {Minimize::time, Minimize::flops, Minimize::size, Minimize::write};

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

TEST_CASE("a network has no labels that cost the same in every order") {
  // Extent 1, broadcast axes, diagonals and labels summed in one tensor alone are left out.
  const Problem problem = tt::core::bind(
      parse_spec("iija,jkb,jxl->ki"), {{{3, 3, 1, 5}, "x0"}, {{4, 6, 1}, "x1"}, {{4, 7, 1}, "x2"}});
  const Network network = network_of(problem);
  CHECK(network.tensors == std::vector<LabelSet>{{0}, {1, 3}, {1}});
  CHECK(network.open[0] == 1);
  CHECK(network.open[1] == 0);
}
