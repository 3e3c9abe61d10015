#include "core/plan/path.hpp"

#include <doctest/doctest.h>

#include <set>

#include "core/error.hpp"
#include "tests/core/plan/networks.hpp"

using namespace tt::core;
using namespace tt::core::testing;

namespace {

constexpr Optimize all_optimizers[] = {
    Optimize::automatic, Optimize::greedy, Optimize::random_greedy, Optimize::dp,
    Optimize::optimal,   Optimize::left,   Optimize::none};
constexpr Minimize all_objectives[] = {Minimize::time, Minimize::flops, Minimize::size,
                                       Minimize::write};

PathOptions options_of(Optimize optimize, Minimize minimize = Minimize::flops) {
  PathOptions options;
  options.optimize = optimize;
  options.minimize = minimize;
  return options;
}

double flops_of(const Problem& problem, Optimize optimize) {
  return make_plan(problem, find_path(problem, options_of(optimize)), {}).flops;
}

/// Every tensor is there when it is used, and used once, until one is left.
void check_full(const Path& path, int operands) {
  std::vector<int> uses(static_cast<std::size_t>(operands), 0);
  for (const std::vector<int>& step : path) {
    for (const int input : step) {
      REQUIRE(input >= 0);
      REQUIRE(input < static_cast<int>(uses.size()));
      CHECK(++uses[static_cast<std::size_t>(input)] == 1);
    }
    uses.push_back(0);
  }
  CHECK(std::count(uses.begin(), uses.end(), 0) == 1);
  CHECK(uses.back() == 0);
}

/// A chain of matrices "[c0][c1],[c1][c2],..." of the given sizes.
Problem chain(const std::vector<std::int64_t>& sizes) {
  std::string text;
  std::vector<OperandShape> operands;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    text += fmt::format("{}[c{}][c{}]", i > 0 ? "," : "", i, i + 1);
    operands.push_back({{sizes[i], sizes[i + 1]}, fmt::format("x{}", i)});
  }
  return tt::core::bind(parse_spec(fmt::format("{}->[c0][c{}]", text, sizes.size() - 1)), operands);
}

std::vector<std::int64_t> random_sizes(std::size_t count, std::int64_t low, std::int64_t high) {
  std::mt19937 random(7);
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < count; ++i)
    sizes.push_back(low + static_cast<std::int64_t>(random() % static_cast<unsigned>(high - low)));
  return sizes;
}

/// The fewest flops of a matrix chain, by the textbook's dynamic programming over intervals.
double chain_flops(const std::vector<std::int64_t>& sizes) {
  const std::size_t count = sizes.size() - 1;
  std::vector<std::vector<double>> best(count, std::vector<double>(count, 0));
  for (std::size_t length = 2; length <= count; ++length)
    for (std::size_t i = 0; i + length <= count; ++i) {
      const std::size_t j = i + length - 1;
      best[i][j] = 1e300;
      for (std::size_t k = i; k < j; ++k)
        best[i][j] = std::min(
            best[i][j], best[i][k] + best[k + 1][j] +
                            2.0 * static_cast<double>(sizes[i] * sizes[k + 1] * sizes[j + 1]));
    }
  return best[0][count - 1];
}

/// The fewest flops over all paths of pairs, each as its plan counts them.
double fewest_flops(const Problem& problem, Path path, const std::vector<int>& live, int next) {
  if (live.size() == 1) return make_plan(problem, path, {}).flops;
  double best = 1e300;
  for (std::size_t i = 0; i < live.size(); ++i)
    for (std::size_t j = i + 1; j < live.size(); ++j) {
      path.push_back({live[i], live[j]});
      std::vector<int> rest;
      for (const int tensor : live)
        if (tensor != live[i] && tensor != live[j]) rest.push_back(tensor);
      rest.push_back(next);
      best = std::min(best, fewest_flops(problem, path, rest, next + 1));
      path.pop_back();
    }
  return best;
}

}  // namespace

TEST_CASE("optimal, and auto for few operands, have the fewest flops of all paths") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    const Problem problem = random_problem(random, 5);
    if (std::count(problem.extents.begin(), problem.extents.end(), 0) > 0) continue;
    CAPTURE(text_of(problem));
    const int operands = static_cast<int>(problem.inputs.size());
    if (operands == 1) continue;
    std::vector<int> live;
    for (int i = 0; i < operands; ++i) live.push_back(i);
    const double fewest = fewest_flops(problem, {}, live, operands);
    CHECK(flops_of(problem, Optimize::optimal) == fewest);
    CHECK(flops_of(problem, Optimize::automatic) == fewest);
  }
}

TEST_CASE("every order of random problems gives the direct sum") {
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937 random(seed);
    const Problem problem = random_problem(random, 7);
    CAPTURE(seed);
    CAPTURE(text_of(problem));
    const std::vector<Dense> operands = random_operands(problem, random);
    const Dense expected = contract(operands, problem.output, problem.extents);
    for (const Optimize optimize : all_optimizers)
      for (const Minimize minimize : all_objectives) {
        CAPTURE(static_cast<int>(optimize));
        CAPTURE(static_cast<int>(minimize));
        const Path path = find_path(problem, options_of(optimize, minimize));
        check_full(path, static_cast<int>(problem.inputs.size()));
        CHECK(evaluate(make_plan(problem, path, {}), operands).data == expected.data);
      }
  }
}

TEST_CASE("the same problem has the same order every time") {
  const Problem problem = chain(random_sizes(61, 2, 50));
  for (const Optimize optimize : all_optimizers) {
    if (optimize == Optimize::optimal) continue;
    CAPTURE(static_cast<int>(optimize));
    CHECK(find_path(problem, options_of(optimize)) == find_path(problem, options_of(optimize)));
  }
}

TEST_CASE("one operand has a step of its own") {
  CHECK(find_path(problem_of("ij->"), {}) == Path{{0}});
}

TEST_CASE("left and none go from left to right") {
  const Problem problem = problem_of("ab,cd,bc,de->ae");
  CHECK(find_path(problem, options_of(Optimize::left)) == Path{{0, 1}, {4, 2}, {5, 3}});
  CHECK(find_path(problem, options_of(Optimize::none)) == Path{{0, 1}, {4, 2}, {5, 3}});
  // A group stands where it begins.
  CHECK(find_path(problem_of("ab,(cd,bc),de->ae"), options_of(Optimize::left)) ==
        Path{{1, 2}, {0, 4}, {5, 3}});
  CHECK(find_path(problem_of("ab,((cd,bc),x,y),de->ae"), options_of(Optimize::left)) ==
        Path{{1, 2}, {6, 3}, {7, 4}, {0, 8}, {9, 5}});
}

TEST_CASE("dp and auto find the best order of a matrix chain") {
  for (const std::size_t matrices : {5u, 12u, 30u, 100u}) {
    CAPTURE(matrices);
    const std::vector<std::int64_t> sizes = random_sizes(matrices + 1, 3, 60);
    const Problem problem = chain(sizes);
    CHECK(flops_of(problem, Optimize::dp) == chain_flops(sizes));
    CHECK(flops_of(problem, Optimize::automatic) <= 1.05 * chain_flops(sizes));
  }
}

TEST_CASE("no order is dearer than greedy where it is asked to be better") {
  const Problem problem = chain(random_sizes(41, 2, 60));
  const double greedy = flops_of(problem, Optimize::greedy);
  for (const Optimize optimize : {Optimize::automatic, Optimize::random_greedy, Optimize::dp})
    CHECK(flops_of(problem, optimize) <= greedy);
}

TEST_CASE("an outer product is taken where it pays") {
  // (a,b) is tiny; ab,abX,... with a long X: joining the vectors first saves the pass over X.
  const Problem problem = problem_of("a,b,abx->x", {{'x', 1000}});
  CHECK(find_path(problem, options_of(Optimize::optimal)) == Path{{0, 1}, {3, 2}});
}

TEST_CASE("parts that share no label are finished before they meet") {
  const Problem problem = problem_of("ab,cd,bc,ef,fe,,g,g->ad", {{'a', 3}, {'d', 3}});
  for (const Optimize optimize : all_optimizers) {
    CAPTURE(static_cast<int>(optimize));
    check_full(find_path(problem, options_of(optimize)), 8);
  }
  // The scalars that the closed parts give meet before anything larger does.
  const Plan plan = make_plan(problem, find_path(problem, options_of(Optimize::greedy)), {});
  CHECK(plan.steps.back().output_elements == 9);
  CHECK(plan.largest_intermediate == 9);
}

TEST_CASE("parentheses are kept, each group ordered by itself") {
  CHECK(find_path(problem_of("(ij,kl),jk->il"), {}) == Path{{0, 1}, {3, 2}});
  CHECK(find_path(problem_of("a,(b,(c,d)),a"), {}) == Path{{2, 3}, {1, 5}, {0, 4}, {7, 6}});
  const Path path = find_path(problem_of("(ab,cd,bc,de),ef,fg->ag"), options_of(Optimize::optimal));
  check_full(path, 6);
  std::set<int> first;
  for (std::size_t i = 0; i < 3; ++i) first.insert(path[i].begin(), path[i].end());
  CHECK(first.count(4) + first.count(5) == 0);
}

TEST_CASE("the optimal order is refused where it is out of reach") {
  const Problem problem = chain(random_sizes(18, 2, 9));
  CHECK_THROWS_WITH_AS(
      find_path(problem, options_of(Optimize::optimal)),
      "the optimal order of 17 operands is out of reach: --optimize auto or dp above "
      "16 operands",
      Error);
}

TEST_CASE("a search time gives a full order") {
  PathOptions options = options_of(Optimize::automatic);
  options.search_seconds = 0.01;
  const std::vector<std::int64_t> sizes = random_sizes(61, 2, 50);
  check_full(find_path(chain(sizes), options), 60);
  options.optimize = Optimize::random_greedy;
  check_full(find_path(chain(sizes), options), 60);
}

TEST_CASE("thousands of operands, on a tree and on one hyperedge") {
  std::vector<std::string> terms(4000);
  std::string hyperedge;
  for (int i = 0; i < 4000; ++i) {
    if (i > 0) {
      terms[static_cast<std::size_t>((i - 1) / 2)] += fmt::format("[t{}]", i);
      terms[static_cast<std::size_t>(i)] += fmt::format("[t{}]", i);
    }
    hyperedge += fmt::format("{}x[s{}]", i > 0 ? "," : "", i % 7);
  }
  std::string tree = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) tree += "," + terms[i];
  for (const std::string& text : {tree + "->", hyperedge + "->x"}) {
    const Problem problem = problem_of(text);
    const Path path = find_path(problem, {});
    check_full(path, 4000);
    // No tensor grows: a tree and a star contract from their ends.
    CHECK(make_plan(problem, path, {}).largest_intermediate <= 256);
  }
}

TEST_CASE("extents of 0, 1 and products beyond 1e308 do not confuse the search") {
  for (const std::int64_t extent : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 40}) {
    std::string text;
    std::vector<OperandShape> operands;
    for (int i = 0; i < 40; ++i) {
      text += fmt::format("{}[a{}][a{}]", i > 0 ? "," : "", i, (i * 7 + 1) % 40);
      operands.push_back({{extent, extent}, "x"});
    }
    const Problem problem = tt::core::bind(parse_spec(text + "->"), operands);
    for (const Optimize optimize : {Optimize::automatic, Optimize::greedy, Optimize::left})
      check_full(find_path(problem, options_of(optimize)), 40);
  }
}
