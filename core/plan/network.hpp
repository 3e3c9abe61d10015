// What the search for an order sees: tensors as sets of labels, extents, and which labels are
// needed outside. No axes, no diagonals, no broadcast axes, no labels of extent 1, no labels that
// are summed in one tensor alone: all of these cost the same in every order.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/cost/host_class.hpp"
#include "core/plan/path.hpp"

namespace tt::core {

/// Sorted, distinct labels.
using LabelSet = std::vector<int>;

struct Network {
  std::vector<LabelSet> tensors;
  std::vector<double> extents;  // by label, all above 1
  std::vector<char> open;       // by label: stands in the output
};

Network network_of(const Problem& problem);

/// An order in SSA numbering: pair i makes tensor n+i.
using Pairs = std::vector<std::pair<int, int>>;

/// What an order is judged by: the objective, then the multiply-adds where that ties.
struct Score {
  double main = 0;
  double multiply_adds = 0;

  bool operator<(const Score& other) const {
    return main != other.main ? main < other.main : multiply_adds < other.multiply_adds;
  }
};

/// Scores of steps and their combination under one --minimize.
class Objective {
 public:
  /// `time` takes the rates of `host`, or of the class generic for null.
  Objective(Minimize minimize, DType dtype, const HostClass* host);

  /// A step from tensors of a and b elements to one of c, with `all` the product over all its
  /// labels.
  Score step(double a, double b, double c, double all) const;

  /// A step above two finished parts: sums, or the maximum for `size`.
  Score combined(const Score& left, const Score& right, const Score& step) const;

 private:
  double time_ns(double a, double b, double c, double all) const;

  Minimize minimize_;
  DType dtype_;
  double ns_per_byte_ = 0;
  std::array<Rate, 3> rates_;  // gemm, matvec, strided_map
};

/// A network while it is contracted. Numbers of tensors are SSA; products are clamped to 1e300.
class Contraction {
 public:
  explicit Contraction(const Network& network);

  const LabelSet& labels(int tensor) const { return labels_[static_cast<std::size_t>(tensor)]; }
  double elements(int tensor) const { return elements_[static_cast<std::size_t>(tensor)]; }
  bool is_live(int tensor) const { return live_[static_cast<std::size_t>(tensor)] != 0; }
  int tensor_count() const { return static_cast<int>(labels_.size()); }

  /// Elements of the result of a pair, and the product over all its labels.
  struct PairSizes {
    double result = 1, all = 1;
  };
  PairSizes pair_sizes(int a, int b) const;

  /// Contracts two live tensors; returns the number of the result.
  int contract(int a, int b);

  /// Some live tensors as a network of their own, numbered in this order; labels are numbered as
  /// they are met, and open where others hold them.
  Network part(std::span<const int> tensors);

 private:
  /// Calls visit(label, is in a, is in b) over the union.
  template <class Visit>
  void for_each_label(int a, int b, Visit visit) const;
  bool is_kept(int label, int holders) const {
    return network_.open[static_cast<std::size_t>(label)] != 0 ||
           holders_[static_cast<std::size_t>(label)] > holders;
  }

  const Network& network_;
  std::vector<LabelSet> labels_;
  std::vector<double> elements_;
  std::vector<char> live_;
  std::vector<int> holders_;      // by label: live tensors that have it
  std::vector<int> local_;        // by label: its number in the part at hand
  std::vector<int> local_count_;  // by label: tensors of the part that have it
};

/// The score of a whole order.
Score score_of(const Network& network, const Pairs& pairs, const Objective& objective);

/// The tensors that hang together by labels, each group ascending.
std::vector<std::vector<int>> components(const Network& network);

}  // namespace tt::core
