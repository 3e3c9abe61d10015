// How a product is cut: which way it runs (from its sizes alone), block sizes, tasks, and the
// scratch they need. Pure functions of numbers; only the depth of a block and the chunks of a deep
// product show in the bits, and neither depends on the width.
#pragma once

#include <cstdint>

namespace tt::kernels {

/// The register tile of a type on an ISA.
struct TileShape {
  int mr = 1, nr = 1, kc = 1;
  int element_bytes = 8;
};

/// Lengths along the vector lanes (x), along the broadcast operand (y), and of the sum.
struct ProductSize {
  std::int64_t x = 1, y = 1, depth = 1, batch = 1;
};

enum class GemmRoute : std::uint8_t {
  items,   // every item by one member: serial products, batches
  staged,  // all members inside one item at a time
  deep,    // little to write and a long sum: chunks of the sum, then a fixed tree
};

struct Blocking {
  GemmRoute route = GemmRoute::items;
  int width = 1;        // members that have scratch; at most the width asked for
  std::int64_t mc = 1;  // rows of a block of X, a multiple of mr
  std::int64_t nc = 1;  // columns of a packed stretch of Y, a multiple of nr
  std::int64_t kc = 1;  // depth of a block, the last may be shorter
  std::int64_t blocks_x = 1, chunks_y = 1;   // compute tasks of a stage: their product
  std::int64_t pack_tasks = 1;               // of a stage
  std::int64_t chunks = 1, chunk_depth = 1;  // of a deep product
  std::int64_t x_bytes = 0, y_bytes = 0;     // one packed block of X, one packed stretch of Y
  int y_buffers = 1;                         // of the staged route; the others have one a member
  std::int64_t partial_bytes = 0;            // sums of the chunks of one deep product
  int partial_buffers = 1;

  std::uint64_t scratch_bytes() const;
};

inline constexpr std::int64_t max_block_rows = 512;
inline constexpr std::int64_t max_depth = 512;
/// A deep product writes at most this by this.
inline constexpr std::int64_t deep_side_max = 128;
inline constexpr std::uint64_t max_scratch_bytes = std::uint64_t{64} << 20;

/// All extents at least 1.
Blocking choose_blocking(const ProductSize& size, const TileShape& tile, int width);

/// Whether x * y * depth is so little that both operands stay in the caches as they lie.
bool fits_small_path(const ProductSize& size, const TileShape& tile);

}  // namespace tt::kernels
