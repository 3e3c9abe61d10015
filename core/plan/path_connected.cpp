#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <unordered_map>

#include "core/plan/search.hpp"

namespace tt::core {
namespace {

/// A set of up to 64 * Words tensors.
template <std::size_t Words>
struct TensorSet {
  std::array<std::uint64_t, Words> words{};

  void add(int tensor) {
    words[static_cast<std::size_t>(tensor) / 64] |= std::uint64_t{1} << (tensor % 64);
  }
  bool meets(const TensorSet& other) const {
    std::uint64_t common = 0;
    for (std::size_t w = 0; w < Words; ++w) common |= words[w] & other.words[w];
    return common != 0;
  }
  bool covers(const TensorSet& other) const {
    std::uint64_t missing = 0;
    for (std::size_t w = 0; w < Words; ++w) missing |= other.words[w] & ~words[w];
    return missing == 0;
  }
  TensorSet operator|(const TensorSet& other) const {
    TensorSet both;
    for (std::size_t w = 0; w < Words; ++w) both.words[w] = words[w] | other.words[w];
    return both;
  }
  bool operator==(const TensorSet&) const = default;
};

struct HashSet {
  template <std::size_t Words>
  std::size_t operator()(const TensorSet<Words>& set) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : set.words)
      hash = (hash ^ word) * 0x9e3779b97f4a7c15u ^ (hash >> 29);
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

/// Dynamic programming over connected subsets, by their number of tensors.
template <std::size_t Words>
class ConnectedSearch {
 public:
  ConnectedSearch(const Network& network, const Objective& objective, std::int64_t work)
      : network_(network), objective_(objective), work_(work), holders_(network.extents.size()) {
    for (std::size_t i = 0; i < network.tensors.size(); ++i)
      for (const int label : network.tensors[i])
        holders_[static_cast<std::size_t>(label)].add(static_cast<int>(i));
  }

  std::optional<Pairs> search(const Score& bound) {
    // A low cap keeps few subsets; it grows to the known order's score, which is reached by the
    // best order at the latest.
    const double last = bound.main * (1 + 1e-9);  // sums in another order round differently
    for (double cap = last / 4096; work_ > 0; cap = std::min(cap * 16, last)) {
      if (const auto best = search_below(cap)) return best;
      if (cap >= last) break;
    }
    return std::nullopt;
  }

 private:
  using Set = TensorSet<Words>;
  struct Entry {
    Set tensors, neighbours;  // neighbours: all that hold one of its labels
    LabelSet labels;
    double elements = 1;
    Score score;
    int left = -1, right = -1;
  };

  std::optional<Pairs> search_below(double cap) {
    const std::size_t count = network_.tensors.size();
    entries_.clear();
    numbers_.clear();
    by_size_.assign(count + 1, {});
    for (std::size_t i = 0; i < count; ++i) {
      Entry entry;
      entry.tensors.add(static_cast<int>(i));
      entry.labels = network_.tensors[i];
      finish(entry);
      by_size_[1].push_back(static_cast<int>(entries_.size()));
      entries_.push_back(std::move(entry));
    }
    for (std::size_t size = 2; size <= count; ++size)
      for (std::size_t part = 1; part <= size / 2; ++part)
        if (!join(part, size - part, cap)) return std::nullopt;
    if (by_size_[count].empty()) return std::nullopt;
    Pairs pairs;
    emit(by_size_[count].front(), pairs);
    return pairs;
  }

  /// Joins every subset of one size with every one of another; false when the work is spent.
  bool join(std::size_t size_a, std::size_t size_b, double cap) {
    const std::size_t count_a = by_size_[size_a].size(), count_b = by_size_[size_b].size();
    work_ -= static_cast<std::int64_t>(count_a * count_b);
    if (work_ < 0) return false;
    for (std::size_t i = 0; i < count_a; ++i)
      for (std::size_t j = size_a == size_b ? i + 1 : 0; j < count_b; ++j) {
        const int a = by_size_[size_a][i], b = by_size_[size_b][j];
        const Entry& x = entries_[static_cast<std::size_t>(a)];
        const Entry& y = entries_[static_cast<std::size_t>(b)];
        if (x.neighbours.meets(y.tensors) && !x.tensors.meets(y.tensors)) consider(a, b, cap);
      }
    return true;
  }

  void consider(int a, int b, double cap) {
    const Entry& x = entries_[static_cast<std::size_t>(a)];
    const Entry& y = entries_[static_cast<std::size_t>(b)];
    if (objective_.combined(x.score, y.score, {}).main > cap) return;
    work_ -= 30;  // about what this costs beside the check of a pair
    Entry joined;
    joined.tensors = x.tensors | y.tensors;
    double all = 1;
    scratch_.clear();
    std::set_union(x.labels.begin(), x.labels.end(), y.labels.begin(), y.labels.end(),
                   std::back_inserter(scratch_));
    for (const int label : scratch_) {
      const auto l = static_cast<std::size_t>(label);
      all = std::min(all * network_.extents[l], 1e300);
      if (network_.open[l] != 0 || !joined.tensors.covers(holders_[l]))
        joined.labels.push_back(label);
    }
    joined.left = a;
    joined.right = b;
    finish(joined);
    joined.score = objective_.combined(
        x.score, y.score, objective_.step(x.elements, y.elements, joined.elements, all));
    if (joined.score.main > cap) return;
    const auto [place, fresh] =
        numbers_.try_emplace(joined.tensors, static_cast<int>(entries_.size()));
    if (fresh) {
      by_size_[size_of(joined.tensors)].push_back(place->second);
      entries_.push_back(std::move(joined));
    } else if (Entry& known = entries_[static_cast<std::size_t>(place->second)];
               joined.score < known.score) {
      known = std::move(joined);
    }
  }

  void finish(Entry& entry) const {
    for (const int label : entry.labels) {
      const auto l = static_cast<std::size_t>(label);
      entry.elements = std::min(entry.elements * network_.extents[l], 1e300);
      entry.neighbours = entry.neighbours | holders_[l];
    }
  }

  static std::size_t size_of(const Set& set) {
    int size = 0;
    for (const std::uint64_t word : set.words) size += std::popcount(word);
    return static_cast<std::size_t>(size);
  }

  int emit(int number, Pairs& pairs) const {
    const Entry& entry = entries_[static_cast<std::size_t>(number)];
    if (entry.left < 0) return number;
    const int a = emit(entry.left, pairs), b = emit(entry.right, pairs);
    pairs.emplace_back(a, b);
    return static_cast<int>(network_.tensors.size() + pairs.size()) - 1;
  }

  const Network& network_;
  const Objective& objective_;
  std::int64_t work_;
  std::vector<Set> holders_;  // by label
  std::vector<Entry> entries_;
  std::unordered_map<Set, int, HashSet> numbers_;
  std::vector<std::vector<int>> by_size_;  // entries by number of tensors
  LabelSet scratch_;
};

}  // namespace

std::optional<Pairs> connected_order(const Network& network, const Objective& objective,
                                     const Score& bound, std::int64_t work) {
  if (network.tensors.size() <= 64)
    return ConnectedSearch<1>(network, objective, work).search(bound);
  if (network.tensors.size() <= 256)
    return ConnectedSearch<4>(network, objective, work).search(bound);
  return std::nullopt;
}

}  // namespace tt::core
