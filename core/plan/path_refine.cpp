#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/plan/search.hpp"

namespace tt::core {
namespace {

/// An order as a binary tree: nodes 0..n-1 are the tensors, node n+i is what pair i makes; the last
/// is the root.
struct Node {
  int left = -1, right = -1;
  LabelSet labels;
  double elements = 1;
  Score step;  // of its own pair
};

std::vector<Node> tree_of(const Network& network, const Pairs& pairs, const Objective* objective) {
  Contraction contraction(network);
  std::vector<Node> nodes(network.tensors.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].labels = network.tensors[i];
    nodes[i].elements = contraction.elements(static_cast<int>(i));
  }
  for (const auto& [a, b] : pairs) {
    Node node;
    node.left = a;
    node.right = b;
    const auto sizes = contraction.pair_sizes(a, b);
    const int result = contraction.contract(a, b);
    if (objective != nullptr)
      node.step = objective->step(contraction.elements(a), contraction.elements(b), sizes.result,
                                  sizes.all);
    node.labels = contraction.labels(result);
    node.elements = sizes.result;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// Pairs below the root, inputs before results; at each node `first` says which input comes first.
template <class First>
Pairs emit(const std::vector<Node>& nodes, First first) {
  const std::size_t tensors = (nodes.size() + 1) / 2;
  std::vector<int> number(nodes.size(), -1);  // in the new order
  std::iota(number.begin(), number.begin() + static_cast<std::ptrdiff_t>(tensors), 0);
  Pairs pairs;
  std::vector<int> stack{static_cast<int>(nodes.size()) - 1};
  while (!stack.empty()) {
    const auto top = static_cast<std::size_t>(stack.back());
    const Node& node = nodes[top];
    if (number[top] >= 0) {
      stack.pop_back();
      continue;
    }
    const int a = number[static_cast<std::size_t>(node.left)];
    const int b = number[static_cast<std::size_t>(node.right)];
    if (a >= 0 && b >= 0) {
      pairs.emplace_back(a, b);
      number[top] = static_cast<int>(tensors + pairs.size()) - 1;
      stack.pop_back();
      continue;
    }
    const int sooner = first(static_cast<int>(top));
    const int later = sooner == node.left ? node.right : node.left;
    stack.push_back(later);
    stack.push_back(sooner);
  }
  return pairs;
}

/// By more than rounding: what is only equal is not worth a change, and would not end.
bool is_better(const Score& score, const Score& known) {
  constexpr double rounding = 1e-9;
  if (score.main < known.main * (1 - rounding)) return true;
  return score.main <= known.main && score.multiply_adds < known.multiply_adds * (1 - rounding);
}

class Refiner {
 public:
  Refiner(const Network& network, const Pairs& pairs, const Objective& objective, int leaves)
      : network_(network),
        objective_(objective),
        leaves_(leaves),
        nodes_(tree_of(network, pairs, &objective)),
        local_(network.extents.size(), -1) {}

  Pairs refine(Effort& effort) {
    bool improves = true;
    while (improves && effort.left_ns > 0) {
      improves = false;
      for (const int root : by_cost()) {
        if (effort.left_ns <= 0) break;
        improves = improve(root, effort) || improves;
      }
    }
    return emit(nodes_, [&](int node) { return nodes_[static_cast<std::size_t>(node)].left; });
  }

 private:
  Node& node(int number) { return nodes_[static_cast<std::size_t>(number)]; }
  bool is_leaf(int number) const { return nodes_[static_cast<std::size_t>(number)].left < 0; }

  std::vector<int> by_cost() const {
    std::vector<int> order;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].left >= 0) order.push_back(static_cast<int>(i));
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) {
      return nodes_[static_cast<std::size_t>(y)].step < nodes_[static_cast<std::size_t>(x)].step;
    });
    return order;
  }

  /// Opens the largest tensors below a root until there are enough leaves; `inner` gets the nodes
  /// between, without the root.
  void choose_subtree(int root, std::vector<int>& leaves, std::vector<int>& inner) {
    leaves = {node(root).left, node(root).right};
    while (static_cast<int>(leaves.size()) < leaves_) {
      int widest = -1;
      for (std::size_t i = 0; i < leaves.size(); ++i)
        if (!is_leaf(leaves[i]) &&
            (widest < 0 ||
             node(leaves[i]).elements > node(leaves[static_cast<std::size_t>(widest)]).elements))
          widest = static_cast<int>(i);
      if (widest < 0) break;
      const int opened = leaves[static_cast<std::size_t>(widest)];
      inner.push_back(opened);
      leaves[static_cast<std::size_t>(widest)] = node(opened).left;
      leaves.push_back(node(opened).right);
    }
  }

  bool improve(int root, Effort& effort) {
    std::vector<int> leaves, inner;
    choose_subtree(root, leaves, inner);
    if (leaves.size() < 3) return false;
    // Measured on an EPYC 9R45: 3^8 / 2 splits take about 60 us.
    effort.spend(3e3 + 10 * std::pow(3.0, static_cast<double>(leaves.size())));
    Score known = node(root).step;
    for (const int i : inner) known = objective_.combined(known, node(i).step, {});

    std::vector<int> labels;
    const Network part = part_of(leaves, node(root).labels, labels);
    const auto best = exact_order(part, objective_, OuterProducts::never);
    if (!best || !is_better(best->score, known)) return false;
    inner.push_back(root);
    rebuild(part, best->pairs, leaves, inner, labels);
    return true;
  }

  /// The leaves as a network whose open labels are the root's.
  Network part_of(const std::vector<int>& leaves, const LabelSet& open, std::vector<int>& labels) {
    Network part;
    for (const int leaf : leaves) {
      LabelSet set;
      for (const int label : node(leaf).labels) {
        int& local = local_[static_cast<std::size_t>(label)];
        if (local < 0) {
          local = static_cast<int>(labels.size());
          labels.push_back(label);
          part.extents.push_back(network_.extents[static_cast<std::size_t>(label)]);
        }
        set.push_back(local);
      }
      std::sort(set.begin(), set.end());
      part.tensors.push_back(std::move(set));
    }
    part.open.assign(labels.size(), 0);
    for (const int label : open)
      part.open[static_cast<std::size_t>(local_[static_cast<std::size_t>(label)])] = 1;
    for (const int label : labels) local_[static_cast<std::size_t>(label)] = -1;
    return part;
  }

  /// Puts the new pairs in the place of the nodes `inner`, whose last one is the root.
  void rebuild(const Network& part, const Pairs& pairs, const std::vector<int>& leaves,
               const std::vector<int>& inner, const std::vector<int>& labels) {
    const std::vector<Node> fresh = tree_of(part, pairs, &objective_);
    const auto place = [&](int number) {
      const auto i = static_cast<std::size_t>(number);
      return i < leaves.size() ? leaves[i] : inner[i - leaves.size()];
    };
    for (std::size_t i = leaves.size(); i < fresh.size(); ++i) {
      Node& target = node(inner[i - leaves.size()]);
      target = fresh[i];
      target.left = place(fresh[i].left);
      target.right = place(fresh[i].right);
      for (int& label : target.labels) label = labels[static_cast<std::size_t>(label)];
      std::sort(target.labels.begin(), target.labels.end());
    }
  }

  const Network& network_;
  const Objective& objective_;
  const int leaves_;
  std::vector<Node> nodes_;
  std::vector<int> local_;  // by label: its number in the part at hand
};

}  // namespace

Pairs refined_order(const Network& network, Pairs pairs, const Objective& objective, int leaves,
                    Effort& effort) {
  if (pairs.size() < 2) return pairs;
  return Refiner(network, pairs, objective, leaves).refine(effort);
}

Pairs depth_first_order(const Network& network, const Pairs& pairs) {
  if (pairs.empty()) return pairs;
  const std::vector<Node> nodes = tree_of(network, pairs, nullptr);
  const std::size_t tensors = network.tensors.size();
  // Elements of intermediates at the peak of each subtree; operands are there anyhow.
  std::vector<double> peak(nodes.size(), 0), held(nodes.size(), 0);
  std::vector<int> first(nodes.size(), -1);
  for (std::size_t i = tensors; i < nodes.size(); ++i) {
    const auto a = static_cast<std::size_t>(nodes[i].left);
    const auto b = static_cast<std::size_t>(nodes[i].right);
    held[i] = nodes[i].elements;
    const double all = held[a] + held[b] + held[i];
    const double a_first = std::max({peak[a], held[a] + peak[b], all});
    const double b_first = std::max({peak[b], held[b] + peak[a], all});
    first[i] = b_first < a_first ? nodes[i].right : nodes[i].left;
    peak[i] = std::min(a_first, b_first);
  }
  return emit(nodes, [&](int node) { return first[static_cast<std::size_t>(node)]; });
}

}  // namespace tt::core
