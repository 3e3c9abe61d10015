// The order of contraction: which two tensors meet next. From labels and extents alone; layouts,
// widths and memory are plan.hpp's. The result never depends on --threads or --host-class.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/cost/host_class.hpp"
#include "core/plan/problem.hpp"

namespace tt::core {

/// automatic: exact for few operands, else the best of refined greedy and random greedy orders.
/// greedy: one pass. random_greedy: the best of many passes with noise. dp: the best order without
/// outer products where that can be told in about a second, else that of automatic. optimal: the
/// best of all, up to 16 operands in a group. left: from left to right. none: all at once, which is
/// lowered to pairs from left to right.
enum class Optimize : std::uint8_t { automatic, greedy, random_greedy, dp, optimal, left, none };
/// time: estimated run time of the steps at width 1. flops: floating-point operations. size: the
/// largest intermediate. write: elements of all results.
enum class Minimize : std::uint8_t { time, flops, size, write };

/// A path in SSA numbering: operands are 0..n-1, step i makes n+i. Each step names two inputs,
/// or one, which then only gets another number. All tensors are used exactly once.
using Path = std::vector<std::vector<int>>;

struct PathOptions {
  Optimize optimize = Optimize::automatic;
  Minimize minimize = Minimize::time;
  DType dtype = DType::float64;
  /// The class that `time` is counted with: planning_class_for_isa.
  const HostClass* host = nullptr;
  /// Seconds of --search-time, or 0: an effort that follows from the estimate.
  double search_seconds = 0;
};

/// Finds an order. Parentheses in the problem are kept: each group is ordered by itself. The same
/// problem and options give the same order on every machine, unless search_seconds is set. Throws
/// Error(usage) for `optimal` with more operands than can be searched.
Path find_path(const Problem& problem, const PathOptions& options);

/// Parses opt_einsum's "[(0,1),(0,1)]", also with brackets for the pairs; linear numbering (used
/// operands are removed, the result is appended) or SSA. Contractions of more than two become pairs
/// from left to right. Throws Error(usage) on anything that is not a full contraction of
/// `operands`.
Path parse_path(std::string_view text, int operands, bool ssa);

}  // namespace tt::core
