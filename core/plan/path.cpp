#include "core/plan/path.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/plan/search.hpp"

namespace tt::core {
namespace {

using Clock = std::chrono::steady_clock;

/// How long the search in one connected part goes on.
struct Limits {
  std::optional<Clock::time_point> deadline;  // of --search-time
  double most_ns = 0;                         // counted effort without it

  bool expired() const { return deadline && Clock::now() >= *deadline; }
};

/// The searches of one find_path over `operands`.
class Searcher {
 public:
  Searcher(const PathOptions& options, int operands)
      : options_(options),
        objective_(options.minimize, options.dtype, options.host),
        operands_(operands) {}

  Pairs order(const Network& network) const {
    const std::size_t count = network.tensors.size();
    if (count < 2) return {};
    if (count == 2) return {{0, 1}};
    switch (options_.optimize) {
      case Optimize::left:
      case Optimize::none:
        return left_order(network);
      case Optimize::optimal:
        return depth_first_order(network, optimal(network));
      case Optimize::greedy:
        return depth_first_order(network, greedy_order(network));
      default:
        break;
    }
    if (count <= small && options_.optimize == Optimize::automatic)
      return depth_first_order(network, optimal(network));
    return depth_first_order(network, by_components(network));
  }

 private:
  /// An exact search of all orders takes less than a millisecond up to here.
  static constexpr std::size_t small = 10;

  struct Best {
    Pairs pairs;
    Score score;
  };

  /// Each connected part by itself, then their outer products, smallest first.
  Pairs by_components(const Network& network) const {
    const std::vector<std::vector<int>> groups = components(network);
    if (groups.size() == 1) return connected(network);
    Contraction contraction(network);
    Pairs pairs;
    std::vector<int> results;
    std::vector<double> elements;
    for (const std::vector<int>& group : groups) {
      std::vector<int> numbers = group;
      const Network part = contraction.part(group);
      for (const auto& [a, b] : connected(part)) {
        pairs.emplace_back(numbers[static_cast<std::size_t>(a)],
                           numbers[static_cast<std::size_t>(b)]);
        numbers.push_back(contraction.contract(pairs.back().first, pairs.back().second));
      }
      results.push_back(numbers.back());
      elements.push_back(contraction.elements(numbers.back()));
    }
    for (const auto& [a, b] : outer_order(elements)) {
      pairs.emplace_back(results[static_cast<std::size_t>(a)],
                         results[static_cast<std::size_t>(b)]);
      results.push_back(contraction.contract(pairs.back().first, pairs.back().second));
    }
    return pairs;
  }

  Pairs connected(const Network& network) const {
    const std::size_t count = network.tensors.size();
    if (count < 2) return {};
    if (count == 2) return {{0, 1}};
    if (count <= small && options_.optimize != Optimize::random_greedy)
      return exact_order(network, objective_, OuterProducts::never)->pairs;
    switch (options_.optimize) {
      case Optimize::random_greedy:
        return random_greedy(network).pairs;
      case Optimize::dp:
        return dynamic(network);
      default:
        return automatic(network).pairs;
    }
  }

  Pairs optimal(const Network& network) const {
    const std::size_t count = network.tensors.size();
    if (count > static_cast<std::size_t>(exact_limit))
      throw Error(Category::usage,
                  fmt::format("the optimal order of {} operands is out of reach", count), "",
                  fmt::format("--optimize auto or dp above {} operands", exact_limit));
    return exact_order(network, objective_, OuterProducts::allowed)->pairs;
  }

  Pairs dynamic(const Network& network) const {
    constexpr std::int64_t most_work = 150'000'000;  // about a second or two
    Best best = automatic(network);
    auto exact = connected_order(network, objective_, best.score, most_work);
    return exact ? std::move(*exact) : std::move(best.pairs);
  }

  Best random_greedy(const Network& network) const {
    constexpr std::uint64_t least_trials = 32;
    const Limits limits = limits_of(network);
    Best best = scored(network, greedy_order(network));
    double spent_ns = 0;
    for (std::uint64_t trial = 1;; ++trial) {
      const bool enough = trial > least_trials && left_ns(network, best, spent_ns, limits) <= 0;
      if (limits.expired() || (enough && !limits.deadline)) return best;
      keep_better(best, scored(network, greedy_order(network, params_of(trial))));
      spent_ns += trial_ns(network);
    }
  }

  /// Rounds of greedy orders, the best of each refined; after the first one dynamic programming
  /// where it is cheap.
  Best automatic(const Network& network) const {
    constexpr int trials_a_round = 8;
    const Limits limits = limits_of(network);
    Best best = scored(network, greedy_order(network));
    double spent_ns = 0;
    std::uint64_t trial = 0;
    do {
      Best round = trial == 0 ? best : scored(network, greedy_order(network, params_of(++trial)));
      for (int i = 1; i < trials_a_round; ++i)
        keep_better(round, scored(network, greedy_order(network, params_of(++trial))));
      spent_ns += trials_a_round * trial_ns(network);
      for (const int leaves : {6, 8})
        spent_ns += refine(network, round, leaves, left_ns(network, best, spent_ns, limits));
      const bool first = trial < trials_a_round;
      keep_better(best, std::move(round));
      if (first) spent_ns += try_connected(network, best, left_ns(network, best, spent_ns, limits));
    } while (left_ns(network, best, spent_ns, limits) > 0);
    return best;
  }

  /// Dynamic programming within a quarter of the effort; returns that.
  double try_connected(const Network& network, Best& best, double left) const {
    const double ns = std::clamp(left / 4, 0.0, 1e9);
    if (auto exact = connected_order(network, objective_, best.score,
                                     static_cast<std::int64_t>(ns / pair_of_subsets_ns)))
      keep_better(best, scored(network, std::move(*exact)));
    return ns;
  }

  /// Refines an order in place; returns the effort that it took.
  double refine(const Network& network, Best& best, int leaves, double left) const {
    Effort effort{left};
    best =
        scored(network, refined_order(network, std::move(best.pairs), objective_, leaves, effort));
    return left - effort.left_ns;
  }

  Best scored(const Network& network, Pairs pairs) const {
    const Score score = score_of(network, pairs, objective_);
    return {std::move(pairs), score};
  }
  static void keep_better(Best& best, Best other) {
    if (other.score < best.score) best = std::move(other);
  }

  /// The share of this part in the time or effort for all operands.
  Limits limits_of(const Network& network) const {
    const double share =
        static_cast<double>(network.tensors.size()) / static_cast<double>(operands_);
    Limits limits;
    limits.most_ns = 2e9 * share;
    if (options_.search_seconds > 0) {
      const double most_seconds = 1e9;  // what a time point can hold
      limits.deadline =
          Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                             std::min(options_.search_seconds * share, most_seconds)));
    }
    return limits;
  }

  /// What is left of the time when a time was asked for, else of the effort.
  static double left_ns(const Network& network, const Best& best, double spent_ns,
                        const Limits& limits) {
    if (limits.deadline)
      return std::chrono::duration<double, std::nano>(*limits.deadline - Clock::now()).count();
    return budget_ns(network, best.score, limits) - spent_ns;
  }

  /// One percent of the run, but at least 1 ms and what a look at every step takes, up to 0.1 s.
  static double budget_ns(const Network& network, const Score& score, const Limits& limits) {
    constexpr double ns_per_multiply_add = 0.05;  // guessed, between float32 and complex128
    const double least = std::min(1e8, 1e6 + 3e4 * static_cast<double>(network.tensors.size()));
    const double percent = 0.01 * ns_per_multiply_add * score.multiply_adds;
    return std::max(least, std::min(percent, limits.most_ns));
  }

  static double trial_ns(const Network& network) {
    double places = 0;
    for (const LabelSet& set : network.tensors) places += static_cast<double>(set.size());
    return 300 * places;  // measured on an EPYC 9R45, lattices and regular networks
  }
  static constexpr double pair_of_subsets_ns = 10;  // measured there too

  /// Weights and temperatures spread over what pays, by a low-discrepancy sequence.
  static GreedyParams params_of(std::uint64_t trial) {
    const auto fraction = [&](double step) {
      const double value = static_cast<double>(trial) * step;
      return value - std::floor(value);
    };
    GreedyParams params;
    params.inputs_weight = 0.1 + 1.9 * fraction(0.6180339887498949);
    params.temperature = std::exp2(-8 + 8 * fraction(0.7548776662466927));
    params.seed = trial;
    return params;
  }

  const PathOptions& options_;
  const Objective objective_;
  const int operands_;
};

}  // namespace

Path find_path(const Problem& problem, const PathOptions& options) {
  const int operands = static_cast<int>(problem.inputs.size());
  if (operands == 1) return {{0}};
  const Searcher searcher(options, operands);
  const Network network = network_of(problem);
  Contraction contraction(network);
  Path path;
  const auto contract = [&](std::vector<int> tensors) {
    for (const auto& [a, b] : searcher.order(contraction.part(tensors))) {
      const int x = tensors[static_cast<std::size_t>(a)], y = tensors[static_cast<std::size_t>(b)];
      path.push_back({x, y});
      tensors.push_back(contraction.contract(x, y));
    }
    return tensors.back();
  };

  // Operands, then groups, as the groups number them: our number, and where each begins in the
  // text.
  std::vector<int> number(static_cast<std::size_t>(operands));
  std::iota(number.begin(), number.end(), 0);
  std::vector<int> begins = number;
  std::vector<int> item_at = number;  // by place in the text: what begins there and is not used up
  for (const std::vector<int>& group : problem.groups) {
    std::vector<int> tensors;
    for (const int member : group) {
      tensors.push_back(number[static_cast<std::size_t>(member)]);
      item_at[static_cast<std::size_t>(begins[static_cast<std::size_t>(member)])] = -1;
    }
    begins.push_back(begins[static_cast<std::size_t>(group.front())]);
    number.push_back(contract(std::move(tensors)));
    item_at[static_cast<std::size_t>(begins.back())] = number.back();
  }
  std::erase(item_at, -1);
  contract(std::move(item_at));
  return path;
}

}  // namespace tt::core
