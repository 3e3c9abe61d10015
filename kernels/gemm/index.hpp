// Where the elements of a fused index lie: positions of a list of axes turned into memory offsets,
// one block at a time, so that no table of the length of the index is ever made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tt::kernels {

/// One axis of a fused index: its extent and its strides (elements) in the two tensors that have
/// it. An index is a list of axes, outermost first; an empty list is an index of length 1.
struct PairAxis {
  std::int64_t extent, stride_X, stride_Y;
};

/// One batch axis: strides in A, B and C.
struct BatchAxis {
  std::int64_t extent, stride_A, stride_B, stride_C;
};

/// The product of the extents.
std::int64_t index_length(std::span<const PairAxis> axes);
std::int64_t batch_length(std::span<const BatchAxis> axes);

/// Where item `item` of a batch begins in the three tensors.
struct BatchOffsets {
  std::int64_t A = 0, B = 0, C = 0;
};
BatchOffsets batch_offsets(std::span<const BatchAxis> axes, std::int64_t item);

/// Offsets of the positions [first, first + count) in the two tensors; a null pointer is left out.
/// Example: axes (2: 100, _), (3: 1, _), first 2, count 2 gives offsets 2 and 100. At most 62 axes
/// longer than 1 (more would be longer than memory); the positions must exist.
void fill_offsets(std::span<const PairAxis> axes, std::int64_t first, std::int64_t count,
                  std::ptrdiff_t* offsets_X, std::ptrdiff_t* offsets_Y);

/// How many offsets from the first on follow each other by 1: at least 1 of a list that is not
/// empty.
inline std::ptrdiff_t unit_run(const std::ptrdiff_t* offsets, std::ptrdiff_t count) {
  std::ptrdiff_t run = 1;
  while (run < count && offsets[run] == offsets[run - 1] + 1) ++run;
  return run;
}

}  // namespace tt::kernels
