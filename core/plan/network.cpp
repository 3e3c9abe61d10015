#include "core/plan/network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/plan/roles.hpp"

namespace tt::core {
namespace {

constexpr double largest_product = 1e300;  // sums and differences of these stay finite

double clamped(double product) {
  return std::min(product, largest_product);
}

/// Of two products one of which divides the other; they may be rounded or clamped.
double quotient(double product, double part) {
  return std::max(1.0, std::round(product / part));
}

/// What pairs are estimated by, in the order of Objective's rates.
constexpr Family rated_families[] = {Family::gemm, Family::matvec, Family::strided_map};

}  // namespace

Network network_of(const Problem& problem) {
  const std::size_t labels = problem.extents.size();
  std::vector<int> holders(labels, 0);
  std::vector<LabelSet> sets;
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    LabelSet set;
    for (std::size_t axis = 0; axis < problem.inputs[i].size(); ++axis)
      if (problem.shapes[i][axis] > 1) set.push_back(problem.inputs[i][axis]);
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    for (const int label : set) ++holders[static_cast<std::size_t>(label)];
    sets.push_back(std::move(set));
  }
  Network network;
  network.open.assign(labels, 0);
  for (const Label label : problem.output) network.open[static_cast<std::size_t>(label)] = 1;
  for (const std::int64_t extent : problem.extents)
    network.extents.push_back(static_cast<double>(std::max<std::int64_t>(extent, 1)));
  for (LabelSet& set : sets) {
    std::erase_if(set, [&](int label) {
      const auto l = static_cast<std::size_t>(label);
      return holders[l] == 1 && network.open[l] == 0;
    });
    network.tensors.push_back(std::move(set));
  }
  return network;
}

Objective::Objective(Minimize minimize, DType dtype, const HostClass* host)
    : minimize_(minimize), dtype_(dtype) {
  if (minimize != Minimize::time) return;
  const HostClass& rated = host != nullptr ? *host : *find_builtin_host_class("generic");
  ns_per_byte_ = 1 / rated.copy_bytes_per_ns;
  for (std::size_t i = 0; i < rates_.size(); ++i) rates_[i] = rated.rate(rated_families[i], dtype);
}

double Objective::time_ns(double a, double b, double c, double all) const {
  RoleSizes roles{.batch = 1, .m = quotient(all, b), .n = quotient(all, a), .k = quotient(all, c)};
  roles.batch = quotient(all, roles.m * roles.n * roles.k);
  const StepClass step_class = pair_class(roles);
  const double units = pair_units(step_class, roles);
  const std::size_t rate = step_class == StepClass::gemm || step_class == StepClass::batched ? 0
                           : step_class == StepClass::matvec                                 ? 1
                                                                                             : 2;
  const double ns_per_unit = static_cast<double>(rates_[rate].at(units)) * 1e-6;
  const double bytes = (a + b + c) * static_cast<double>(dtype_bytes(dtype_));
  return units * ns_per_unit + bytes * ns_per_byte_;
}

Score Objective::step(double a, double b, double c, double all) const {
  switch (minimize_) {
    case Minimize::flops:
      return {quotient(all, c) == 1 ? all : 2 * all, all};
    case Minimize::size:
    case Minimize::write:
      return {c, all};
    case Minimize::time:
      break;
  }
  return {time_ns(a, b, c, all), all};
}

Score Objective::combined(const Score& left, const Score& right, const Score& step) const {
  const double multiply_adds = left.multiply_adds + right.multiply_adds + step.multiply_adds;
  if (minimize_ == Minimize::size)
    return {std::max({left.main, right.main, step.main}), multiply_adds};
  return {left.main + right.main + step.main, multiply_adds};
}

Contraction::Contraction(const Network& network)
    : network_(network),
      labels_(network.tensors),
      live_(network.tensors.size(), 1),
      holders_(network.extents.size(), 0),
      local_(network.extents.size(), -1),
      local_count_(network.extents.size(), 0) {
  for (const LabelSet& set : labels_) {
    double elements = 1;
    for (const int label : set) {
      ++holders_[static_cast<std::size_t>(label)];
      elements = clamped(elements * network.extents[static_cast<std::size_t>(label)]);
    }
    elements_.push_back(elements);
  }
}

template <class Visit>
void Contraction::for_each_label(int a, int b, Visit visit) const {
  const LabelSet& x = labels(a);
  const LabelSet& y = labels(b);
  std::size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    const bool take_x = j == y.size() || (i < x.size() && x[i] <= y[j]);
    const bool take_y = i == x.size() || (j < y.size() && y[j] <= x[i]);
    visit(take_x ? x[i] : y[j], take_x, take_y);
    i += take_x;
    j += take_y;
  }
}

Contraction::PairSizes Contraction::pair_sizes(int a, int b) const {
  PairSizes sizes;
  for_each_label(a, b, [&](int label, bool in_a, bool in_b) {
    const double extent = network_.extents[static_cast<std::size_t>(label)];
    sizes.all *= extent;
    if (is_kept(label, in_a + in_b)) sizes.result *= extent;
  });
  return {clamped(sizes.result), clamped(sizes.all)};
}

int Contraction::contract(int a, int b) {
  LabelSet kept;
  double elements = 1;
  for_each_label(a, b, [&](int label, bool in_a, bool in_b) {
    int& holders = holders_[static_cast<std::size_t>(label)];
    const bool keep = is_kept(label, in_a + in_b);
    holders += (keep ? 1 : 0) - in_a - in_b;
    if (!keep) return;
    kept.push_back(label);
    elements = clamped(elements * network_.extents[static_cast<std::size_t>(label)]);
  });
  live_[static_cast<std::size_t>(a)] = live_[static_cast<std::size_t>(b)] = 0;
  labels_.push_back(std::move(kept));
  elements_.push_back(elements);
  live_.push_back(1);
  return tensor_count() - 1;
}

Network Contraction::part(std::span<const int> tensors) {
  Network part;
  std::vector<int> numbers;  // ours of each local label
  for (const int tensor : tensors) {
    LabelSet set;
    for (const int label : labels(tensor)) {
      int& local = local_[static_cast<std::size_t>(label)];
      if (local < 0) {
        local = static_cast<int>(numbers.size());
        numbers.push_back(label);
        part.extents.push_back(network_.extents[static_cast<std::size_t>(label)]);
      }
      ++local_count_[static_cast<std::size_t>(label)];
      set.push_back(local);
    }
    std::sort(set.begin(), set.end());
    part.tensors.push_back(std::move(set));
  }
  for (const int label : numbers) {
    part.open.push_back(is_kept(label, local_count_[static_cast<std::size_t>(label)]) ? 1 : 0);
    local_[static_cast<std::size_t>(label)] = -1;
    local_count_[static_cast<std::size_t>(label)] = 0;
  }
  return part;
}

Score score_of(const Network& network, const Pairs& pairs, const Objective& objective) {
  Contraction contraction(network);
  Score total;
  for (const auto& [a, b] : pairs) {
    const auto sizes = contraction.pair_sizes(a, b);
    total = objective.combined(
        total, {},
        objective.step(contraction.elements(a), contraction.elements(b), sizes.result, sizes.all));
    contraction.contract(a, b);
  }
  return total;
}

std::vector<std::vector<int>> components(const Network& network) {
  const std::size_t count = network.tensors.size();
  std::vector<int> parent(count);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int tensor) {
    while (parent[static_cast<std::size_t>(tensor)] != tensor) {
      int& up = parent[static_cast<std::size_t>(tensor)];
      up = parent[static_cast<std::size_t>(up)];
      tensor = up;
    }
    return tensor;
  };
  std::vector<int> first(network.extents.size(), -1);  // by label: a tensor that has it
  for (std::size_t i = 0; i < count; ++i)
    for (const int label : network.tensors[i]) {
      int& holder = first[static_cast<std::size_t>(label)];
      if (holder < 0) holder = static_cast<int>(i);
      const int a = root(holder), b = root(static_cast<int>(i));
      parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  std::vector<std::vector<int>> groups;
  std::vector<int> group_of(count, -1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto top = static_cast<std::size_t>(root(static_cast<int>(i)));
    if (group_of[top] < 0) {
      group_of[top] = static_cast<int>(groups.size());
      groups.emplace_back();
    }
    groups[static_cast<std::size_t>(group_of[top])].push_back(static_cast<int>(i));
  }
  return groups;
}

}  // namespace tt::core
