#include <algorithm>
#include <bit>
#include <limits>

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

}  // namespace

std::optional<ScoredPairs> exact_order(const Network& network, const Objective& objective,
                                       OuterProducts outer) {
  TT_CHECK_LE(network.tensors.size(), static_cast<std::size_t>(exact_limit));
  return SubsetSearch(network, objective, outer).search();
}

}  // namespace tt::core
