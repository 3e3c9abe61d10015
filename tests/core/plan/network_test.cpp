#include "core/plan/network.hpp"

#include <doctest/doctest.h>

#include "tests/core/plan/networks.hpp"

using namespace tt::core;
using namespace tt::core::testing;

namespace {

/// "ab,bc,cd->ad" with a 2, b 3, c 5, d 7.
Network chain_of_three() {
  return network_of(problem_of("ab,bc,cd->ad", {{'a', 2}, {'b', 3}, {'c', 5}, {'d', 7}}));
}

}  // namespace

TEST_CASE("a network has no labels that cost the same in every order") {
  // Extent 1, broadcast axes, diagonals and labels summed in one tensor alone are left out.
  const Problem problem = tt::core::bind(
      parse_spec("iija,jkb,jxl->ki"), {{{3, 3, 1, 5}, "x0"}, {{4, 6, 1}, "x1"}, {{4, 7, 1}, "x2"}});
  const Network network = network_of(problem);
  CHECK(network.tensors == std::vector<LabelSet>{{0}, {1, 3}, {1}});
  CHECK(network.open[0] == 1);
  CHECK(network.open[1] == 0);
}

TEST_CASE("a contraction keeps what is open or held by others") {
  const Network network = chain_of_three();
  Contraction contraction(network);
  const auto sizes = contraction.pair_sizes(0, 1);
  CHECK(sizes.result == 10);
  CHECK(sizes.all == 30);
  CHECK(contraction.contract(0, 1) == 3);
  CHECK(contraction.labels(3) == LabelSet{0, 2});
  CHECK(contraction.elements(3) == 10);
  CHECK_FALSE(contraction.is_live(0));
  CHECK(contraction.is_live(3));
  CHECK(contraction.contract(3, 2) == 4);
  CHECK(contraction.labels(4) == LabelSet{0, 3});
}

TEST_CASE("a part is a network of its own, open where others hold its labels") {
  const Network network = chain_of_three();
  Contraction contraction(network);
  const Network part = contraction.part(std::vector<int>{1, 0});
  CHECK(part.tensors == std::vector<LabelSet>{{0, 1}, {0, 2}});
  CHECK(part.extents == std::vector<double>{3, 5, 2});
  CHECK(part.open == std::vector<char>{0, 1, 1});
}

TEST_CASE("each objective counts what its name says") {
  const Network network = chain_of_three();
  const Pairs pairs = {{0, 1}, {3, 2}};  // 2*3*5 multiply-adds to 10 elements, 2*5*7 to 14
  const auto score = [&](Minimize minimize) {
    return score_of(network, pairs, Objective(minimize, DType::float64, nullptr)).main;
  };
  CHECK(score(Minimize::flops) == 2 * 30 + 2 * 70);
  CHECK(score(Minimize::size) == 14);
  CHECK(score(Minimize::write) == 24);
  const Objective flops(Minimize::flops, DType::float64, nullptr);
  CHECK(flops.step(2, 3, 6, 6).main == 6);  // an outer product adds nothing
}

TEST_CASE("time grows with arithmetic and with bytes") {
  const Objective time(Minimize::time, DType::float64, nullptr);
  CHECK(time.step(100, 100, 100, 1000).main < time.step(400, 400, 400, 8000).main);
  // As many multiply-adds, but thin: more elements to move.
  CHECK(time.step(1024, 1024, 1024, 32768).main < time.step(4096, 32, 8192, 32768).main * 4);
  const Objective single(Minimize::time, DType::float32, nullptr);
  CHECK(single.step(1e6, 1e6, 1e6, 1e6).main < time.step(1e6, 1e6, 1e6, 1e6).main);
}

TEST_CASE("components hang together by labels, scalars stand alone") {
  Network network;
  network.tensors = {{0}, {1}, {}, {0, 2}, {1}, {2}};
  network.extents = {2, 2, 2};
  network.open = {0, 0, 0};
  CHECK(components(network) == std::vector<std::vector<int>>{{0, 3, 5}, {1, 4}, {2}});
}
