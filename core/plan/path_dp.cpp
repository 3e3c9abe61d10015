#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <unordered_map>

#include "core/check.hpp"
#include "core/plan/search.hpp"

namespace tt::core {
namespace {

constexpr Score no_order{std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::infinity()};

/// Dynamic programming over all subsets of up to exact_limit tensors. Label sets are bit sets of
/// `words_` words, one after the other by subset.
class SubsetSearch {
 public:
  SubsetSearch(const Network& network, const Objective& objective, OuterProducts outer)
      : network_(network),
        objective_(objective),
        outer_(outer),
        count_(static_cast<int>(network.tensors.size())),
        words_((network.extents.size() + 63) / 64) {
    const std::size_t subsets = std::size_t{1} << count_;
    labels_.assign(subsets * words_, 0);
    elements_.assign(subsets, 1);
    scores_.assign(subsets, no_order);
    left_.assign(subsets, 0);
    find_labels();
  }

  std::optional<ScoredPairs> search() {
    const unsigned full = (1u << count_) - 1;
    for (unsigned subset = 1; subset <= full; ++subset) {
      if (std::has_single_bit(subset))
        scores_[subset] = {};
      else
        split(subset);
    }
    if (scores_[full].main == no_order.main) return std::nullopt;
    ScoredPairs best{{}, scores_[full]};
    emit(full, best.pairs);
    return best;
  }

 private:
  std::uint64_t* labels(unsigned subset) { return labels_.data() + subset * words_; }

  /// Calls visit(extent) for the labels of a word of a bit set.
  template <class Visit>
  void for_each_extent(std::size_t word, std::uint64_t bits, Visit visit) const {
    for (; bits != 0; bits &= bits - 1)
      visit(network_.extents[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
  }

  /// The labels of a subset's result: those that it has and that are open or held outside.
  void find_labels() {
    const unsigned full = (1u << count_) - 1;
    std::vector<std::uint64_t> open(words_, 0);
    for (std::size_t l = 0; l < network_.open.size(); ++l)
      if (network_.open[l] != 0) open[l / 64] |= std::uint64_t{1} << (l % 64);
    std::vector<std::uint64_t> all(labels_.size(), 0);  // the union by subset
    for (unsigned subset = 1; subset <= full; ++subset) {
      const unsigned low = subset & (~subset + 1);
      if (subset == low)
        for (const int label : network_.tensors[static_cast<std::size_t>(std::countr_zero(low))])
          all[subset * words_ + static_cast<std::size_t>(label) / 64] |= std::uint64_t{1}
                                                                         << (label % 64);
      else
        for (std::size_t w = 0; w < words_; ++w)
          all[subset * words_ + w] = all[low * words_ + w] | all[(subset ^ low) * words_ + w];
    }
    for (unsigned subset = 1; subset <= full; ++subset)
      for (std::size_t w = 0; w < words_; ++w) {
        const std::uint64_t outside = all[(full ^ subset) * words_ + w] | open[w];
        const std::uint64_t kept = all[subset * words_ + w] & outside;
        labels(subset)[w] = kept;
        for_each_extent(w, kept, [&](double extent) {
          elements_[subset] = std::min(elements_[subset] * extent, 1e300);
        });
      }
  }

  /// The best split of a subset; the half with its lowest tensor comes first.
  void split(unsigned subset) {
    const unsigned low = subset & (~subset + 1), rest = subset ^ low;
    for (unsigned right = rest; right != 0; right = (right - 1) & rest) {
      const unsigned left = subset ^ right;
      if (!(objective_.combined(scores_[left], scores_[right], {}) < scores_[subset])) continue;
      double summed = 1;
      bool shared = false;
      for (std::size_t w = 0; w < words_; ++w) {
        const std::uint64_t common = labels(left)[w] & labels(right)[w];
        shared = shared || common != 0;
        for_each_extent(w, common & ~labels(subset)[w], [&](double extent) { summed *= extent; });
      }
      if (!shared && outer_ == OuterProducts::never) continue;
      const Score step = objective_.step(elements_[left], elements_[right], elements_[subset],
                                         std::min(elements_[subset] * summed, 1e300));
      const Score score = objective_.combined(scores_[left], scores_[right], step);
      if (!(score < scores_[subset])) continue;
      scores_[subset] = score;
      left_[subset] = left;
    }
  }

  int emit(unsigned subset, Pairs& pairs) const {
    if (std::has_single_bit(subset)) return std::countr_zero(subset);
    const int a = emit(left_[subset], pairs), b = emit(subset ^ left_[subset], pairs);
    pairs.emplace_back(a, b);
    return count_ + static_cast<int>(pairs.size()) - 1;
  }

  const Network& network_;
  const Objective& objective_;
  const OuterProducts outer_;
  const int count_;
  const std::size_t words_;
  std::vector<std::uint64_t> labels_;
  std::vector<double> elements_;
  std::vector<Score> scores_;
  std::vector<unsigned> left_;
};

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

std::optional<ScoredPairs> exact_order(const Network& network, const Objective& objective,
                                       OuterProducts outer) {
  TT_CHECK_LE(network.tensors.size(), static_cast<std::size_t>(exact_limit));
  return SubsetSearch(network, objective, outer).search();
}

std::optional<Pairs> connected_order(const Network& network, const Objective& objective,
                                     const Score& bound, std::int64_t work) {
  if (network.tensors.size() <= 64)
    return ConnectedSearch<1>(network, objective, work).search(bound);
  if (network.tensors.size() <= 256)
    return ConnectedSearch<4>(network, objective, work).search(bound);
  return std::nullopt;
}

}  // namespace tt::core
