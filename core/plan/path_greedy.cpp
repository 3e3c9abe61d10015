#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

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
        met_(2 * network.tensors.size(), -1) {
    for (std::size_t i = 0; i < network.tensors.size(); ++i)
      for (const int label : network.tensors[i])
        holders_[static_cast<std::size_t>(label)].push_back(static_cast<int>(i));
    for (auto& holders : holders_)
      if (holders.size() > most_neighbours)
        std::stable_sort(holders.begin(), holders.end(), [&](int x, int y) {
          return contraction_.elements(x) < contraction_.elements(y);
        });
  }

  Pairs order() {
    const int operands = contraction_.tensor_count();
    for (int tensor = 0; tensor < operands; ++tensor) add_candidates(tensor);
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
    const int result = contraction_.contract(a, b);
    pairs_.emplace_back(a, b);
    for (const int label : contraction_.labels(result)) {
      std::vector<int>& holders = holders_[static_cast<std::size_t>(label)];
      std::erase_if(holders, [&](int tensor) { return !contraction_.is_live(tensor); });
      holders.push_back(result);
    }
    add_candidates(result);
  }

  /// Pairs of a tensor with those behind it in the list of a label, and, when it is the last (a
  /// fresh result), with those before it.
  void add_candidates(int tensor) {
    met_[static_cast<std::size_t>(tensor)] = tensor;
    for (const int label : contraction_.labels(tensor)) {
      const std::vector<int>& holders = holders_[static_cast<std::size_t>(label)];
      if (holders.back() == tensor) {
        const std::size_t count = std::min(holders.size() - 1, most_neighbours);
        for (std::size_t i = 0; i < count; ++i) add_candidate(holders[i], tensor);
        continue;
      }
      const auto place = std::find(holders.begin(), holders.end(), tensor);
      const auto end = holders.end() - place > static_cast<std::ptrdiff_t>(most_neighbours)
                           ? place + static_cast<std::ptrdiff_t>(most_neighbours)
                           : holders.end();
      for (auto other = place + 1; other < end; ++other) add_candidate(*other, tensor);
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
  std::vector<std::vector<int>> holders_;  // by label: tensors that had it when last looked at
  std::vector<int> met_;                   // by tensor: the last tensor it was paired with
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
