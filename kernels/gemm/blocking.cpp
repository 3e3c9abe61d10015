#include "kernels/gemm/blocking.hpp"

#include <algorithm>

namespace tt::kernels {
namespace {

// Derived: half of a second-level cache of 1 MiB for a block of X (measured on a Zen 5 with that
// much; smaller caches hold most of it), a quarter of a small third-level cache for a stretch of Y.
constexpr std::int64_t x_block_bytes = 512 << 10;
constexpr std::int64_t y_stretch_bytes = 4 << 20;

// Multiply-adds below which one item is not cut (guessed), and up to which operands are not packed
// (measured on a Zen 5: 5 to 15 percent faster up to there, even above).
constexpr double uncut_work = 64.0 * 64 * 64;
constexpr double small_work = 160.0 * 160 * 160;

// Compute tasks for each member of a stage at least, so that the last ones to finish cost little
// (11 panels in 6 blocks leave one of two members idle for a twelfth); and items for each member
// from which a batch needs no finer cut. Guessed.
constexpr std::int64_t tasks_per_member = 8;
constexpr std::int64_t items_per_member = 4;

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return divide_up(a, b) * b;
}

double work_of(const ProductSize& size) {
  return static_cast<double>(size.x) * static_cast<double>(size.y) *
         static_cast<double>(size.depth);
}

/// Block sizes for one member; rows of X in equal blocks.
void cut_serial(const ProductSize& size, const TileShape& tile, Blocking& b) {
  b.kc = std::min<std::int64_t>(tile.kc, size.depth);
  const std::int64_t row_bytes = b.kc * tile.element_bytes;
  const std::int64_t mc_max = std::clamp(x_block_bytes / row_bytes / tile.mr * tile.mr,
                                         std::int64_t{tile.mr}, max_block_rows / tile.mr * tile.mr);
  const std::int64_t nc_max =
      std::max(y_stretch_bytes / (std::int64_t{tile.kc} * tile.element_bytes) / tile.nr * tile.nr,
               std::int64_t{tile.nr});
  b.blocks_x = divide_up(size.x, mc_max);
  b.mc = round_up(divide_up(size.x, b.blocks_x), tile.mr);
  b.blocks_x = divide_up(size.x, b.mc);
  b.nc = round_up(divide_up(size.y, divide_up(size.y, nc_max)), tile.nr);
  b.x_bytes = round_up(b.mc * row_bytes, 64);
  b.y_bytes = round_up(b.nc * row_bytes, 64);
}

/// Cuts X finer, then Y, until there are tasks enough for the width.
void cut_staged(const ProductSize& size, const TileShape& tile, Blocking& b) {
  const std::int64_t wanted = tasks_per_member * b.width;
  const std::int64_t x_panels = divide_up(size.x, tile.mr);
  const std::int64_t y_panels = b.nc / tile.nr;
  const std::int64_t panels_a_block =
      std::clamp(x_panels / wanted, std::int64_t{1}, b.mc / tile.mr);
  b.mc = panels_a_block * tile.mr;
  b.blocks_x = divide_up(size.x, b.mc);
  b.chunks_y = std::min(divide_up(wanted, b.blocks_x), divide_up(y_panels, 4));
  b.pack_tasks = std::clamp<std::int64_t>(y_panels / 4, 1, 2 * b.width);
  b.x_bytes = round_up(b.mc * b.kc * tile.element_bytes, 64);
  b.y_buffers = size.depth > b.kc || size.y > b.nc || size.batch > 1 ? 2 : 1;
}

bool is_deep(const ProductSize& size, const TileShape& tile) {
  return size.x <= deep_side_max && size.y <= deep_side_max && size.depth >= 16 * tile.kc;
}

void cut_deep(const ProductSize& size, const TileShape& tile, Blocking& b) {
  constexpr std::int64_t chunks_max = 32;
  b.route = GemmRoute::deep;
  b.chunk_depth =
      round_up(std::max<std::int64_t>(divide_up(size.depth, chunks_max), 4 * tile.kc), tile.kc);
  b.chunks = divide_up(size.depth, b.chunk_depth);
  b.width = static_cast<int>(std::min<std::int64_t>(b.width, b.chunks));
  b.partial_bytes = round_up(b.chunks * size.x * size.y * tile.element_bytes, 64);
  b.partial_buffers = size.batch > 1 ? 2 : 1;
}

}  // namespace

std::uint64_t Blocking::scratch_bytes() const {
  const auto x = static_cast<std::uint64_t>(x_bytes), y = static_cast<std::uint64_t>(y_bytes);
  const auto members = static_cast<std::uint64_t>(width);
  if (route == GemmRoute::staged) return members * x + static_cast<std::uint64_t>(y_buffers) * y;
  return members * (x + y) + static_cast<std::uint64_t>(partial_buffers * partial_bytes);
}

Blocking choose_blocking(const ProductSize& size, const TileShape& tile, int width) {
  Blocking b;
  b.width = std::max(width, 1);
  cut_serial(size, tile, b);
  if (is_deep(size, tile)) {
    cut_deep(size, tile, b);
    return b;
  }
  const bool many_items = size.batch >= items_per_member * b.width;
  const bool fits = b.scratch_bytes() <= max_scratch_bytes;
  if (b.width > 1 && !(many_items && fits) && work_of(size) > uncut_work) {
    b.route = GemmRoute::staged;
    cut_staged(size, tile, b);
  }
  while (b.width > 1 && b.scratch_bytes() > max_scratch_bytes) --b.width;
  return b;
}

bool fits_small_path(const ProductSize& size, const TileShape& tile) {
  return size.depth <= tile.kc && work_of(size) <= small_work;
}

}  // namespace tt::kernels
