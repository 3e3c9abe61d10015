#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <set>
#include <tuple>

#include "core/plan/search.hpp"

namespace tt::core {
namespace {

/// Of a label with more holders than this each tensor meets only so many. Guessed: a hyperedge of
/// 24 operands is searched in full, one of thousands in linear time.
constexpr std::size_t most_neighbours = 32;

/// SplitMix64 (Steele, Lea and Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// In (0, 1).
  double uniform() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (static_cast<double>(z >> 11) + 0.5) * 0x1p-53;
  }
  double gumbel() { return -std::log(-std::log(uniform())); }

 private:
  std::uint64_t state_;
};

struct Candidate {
  double rank;
  int a, b;
  bool operator>(const Candidate& other) const {
    return std::tie(rank, a, b) > std::tie(other.rank, other.a, other.b);
  }
};

class Greedy {
 public:
  Greedy(const Network& network, const GreedyParams& params)
      : params_(params),
        random_(params.seed),
        contraction_(network),
        holders_(network.extents.size()),
        met_(2 * network.tensors.size(), -1) {}

  Pairs order() {
    const int operands = contraction_.tensor_count();
    for (int tensor = 0; tensor < operands; ++tensor) add(tensor);
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      if (contraction_.is_live(best.a) && contraction_.is_live(best.b)) contract(best.a, best.b);
    }
    add_outer_products();
    return std::move(pairs_);
  }

 private:
  void contract(int a, int b) {
    for (const int input : {a, b})
      for (const int label : contraction_.labels(input))
        holders_[static_cast<std::size_t>(label)].erase({contraction_.elements(input), input});
    pairs_.emplace_back(a, b);
    add(contraction_.contract(a, b));
  }

  /// Pairs a tensor with the smallest of those that share a label with it and came before.
  void add(int tensor) {
    for (const int label : contraction_.labels(tensor)) {
      auto& holders = holders_[static_cast<std::size_t>(label)];
      std::size_t met = 0;
      for (auto other = holders.begin(); other != holders.end() && met < most_neighbours;
           ++other, ++met)
        add_candidate(other->second, tensor);
      holders.emplace(contraction_.elements(tensor), tensor);
    }
  }

  void add_candidate(int other, int tensor) {
    if (met_[static_cast<std::size_t>(other)] == tensor) return;
    met_[static_cast<std::size_t>(other)] = tensor;
    const double saved = contraction_.elements(other) + contraction_.elements(tensor);
    const double cost =
        contraction_.pair_sizes(other, tensor).result - params_.inputs_weight * saved;
    double rank = std::copysign(std::log2(1 + std::abs(cost)), cost);
    if (params_.temperature > 0) rank -= params_.temperature * random_.gumbel();
    queue_.push({rank, std::min(other, tensor), std::max(other, tensor)});
  }

  void add_outer_products() {
    std::vector<int> live;
    std::vector<double> elements;
    for (int tensor = 0; tensor < contraction_.tensor_count(); ++tensor) {
      if (!contraction_.is_live(tensor)) continue;
      live.push_back(tensor);
      elements.push_back(contraction_.elements(tensor));
    }
    for (const auto& [a, b] : outer_order(elements)) {
      const int x = live[static_cast<std::size_t>(a)], y = live[static_cast<std::size_t>(b)];
      pairs_.emplace_back(x, y);
      live.push_back(contraction_.contract(x, y));
    }
  }

  const GreedyParams params_;
  Random random_;
  Contraction contraction_;
  std::vector<std::set<std::pair<double, int>>> holders_;  // by label: live tensors, smallest first
  std::vector<int> met_;  // by tensor: the last tensor it was paired with
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
  Pairs pairs_;
};

}  // namespace

Pairs left_order(const Network& network) {
  const int count = static_cast<int>(network.tensors.size());
  Pairs pairs;
  for (int i = 1; i < count; ++i) pairs.emplace_back(i == 1 ? 0 : count + i - 2, i);
  return pairs;
}

Pairs greedy_order(const Network& network, const GreedyParams& params) {
  return Greedy(network, params).order();
}

Pairs outer_order(const std::vector<double>& elements) {
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  int next = 0;
  for (const double count : elements) queue.emplace(count, next++);
  Pairs pairs;
  while (queue.size() > 1) {
    const auto [a_elements, a] = queue.top();
    queue.pop();
    const auto [b_elements, b] = queue.top();
    queue.pop();
    pairs.emplace_back(std::min(a, b), std::max(a, b));
    queue.emplace(std::min(a_elements * b_elements, 1e300), next++);
  }
  return pairs;
}

}  // namespace tt::core
