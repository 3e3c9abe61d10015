// Which index order an intermediate gets. The kernels read and write any order; a good one lets the
// step that makes it write, and the step that reads it pack, along unit stride, with few runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/plan/spec.hpp"

namespace tt::core {

/// What the order depends on. All lists hold distinct labels, outermost first.
struct LayoutQuestion {
  std::span<const Label> a, b;            // the tensors it is made from
  std::span<const Label> result;          // its labels, in any order
  std::span<const Label> partner;         // the other tensor of the step that reads it
  std::span<const Label> next;            // what that step makes
  std::span<const std::int64_t> extents;  // by label
};

/// Batch labels of the reading step come first. Behind them its free labels and its contracted
/// labels stay together, each part split by the input it comes from; innermost is the part, and in
/// it the piece, with the longest run. Inside a piece contracted labels follow the partner's order,
/// so that they fuse in both; free labels follow the result of the reading step, else a, else b.
///
/// "ij,jk->?" read by "?,kl->li" (i 4, k 100): {i, k}, as k is contracted next and 100 long.
std::vector<Label> choose_layout(const LayoutQuestion& question);

}  // namespace tt::core
