#include "kernels/gemm/blocking.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace tt::kernels;

namespace {

constexpr TileShape wide_tile = {24, 8, 256, 8};
constexpr TileShape narrow_tile = {8, 6, 192, 16};

/// What every cut must keep, whatever the sizes.
void check_cut(const ProductSize& size, const TileShape& tile, int width) {
  CAPTURE(size.x);
  CAPTURE(size.y);
  CAPTURE(size.depth);
  CAPTURE(size.batch);
  CAPTURE(width);
  const Blocking b = choose_blocking(size, tile, width);
  CHECK(b.width >= 1);
  CHECK(b.width <= width);
  CHECK(b.mc % tile.mr == 0);
  CHECK(b.nc % tile.nr == 0);
  CHECK(b.mc <= max_block_rows);
  CHECK(b.kc <= max_depth);
  CHECK(b.kc == (size.depth < tile.kc ? size.depth : tile.kc));
  CHECK(b.blocks_x * b.mc >= size.x);
  CHECK((b.blocks_x - 1) * b.mc < size.x);
  CHECK(b.x_bytes >= b.mc * b.kc * tile.element_bytes);
  CHECK(b.y_bytes >= b.nc * b.kc * tile.element_bytes);
  CHECK(b.chunks_y >= 1);
  CHECK(b.pack_tasks >= 1);
  CHECK(b.scratch_bytes() <= max_scratch_bytes);
  if (b.route == GemmRoute::deep) {
    CHECK(b.chunk_depth % tile.kc == 0);
    CHECK((b.chunks - 1) * b.chunk_depth < size.depth);
    CHECK(b.chunks * b.chunk_depth >= size.depth);
  }
}

}  // namespace

TEST_CASE("every cut covers the product within the scratch limit") {
  for (const TileShape& tile : {wide_tile, narrow_tile})
    for (const int width : {1, 2, 6, 64, 512})
      for (const std::int64_t batch : {1, 7, 5000})
        for (const std::int64_t x : {1, 23, 25, 500, 100000000})
          for (const std::int64_t y : {1, 9, 3000, 70000000})
            for (const std::int64_t depth : {1, 255, 257, 5000, 100000000})
              check_cut({x, y, depth, batch}, tile, width);
}

TEST_CASE("whether and how a sum is cut follows from the sizes alone") {
  for (const ProductSize& size :
       {ProductSize{10, 20, 1 << 20}, ProductSize{128, 128, 16 * 256}, ProductSize{1, 1, 4097}}) {
    const Blocking one = choose_blocking(size, wide_tile, 1);
    CHECK(one.route == GemmRoute::deep);
    for (const int width : {2, 3, 100}) {
      const Blocking more = choose_blocking(size, wide_tile, width);
      CHECK(more.route == GemmRoute::deep);
      CHECK(more.chunks == one.chunks);
      CHECK(more.chunk_depth == one.chunk_depth);
    }
  }
  CHECK(choose_blocking({129, 128, 1 << 20}, wide_tile, 1).route == GemmRoute::items);
  CHECK(choose_blocking({128, 128, 16 * 256 - 1}, wide_tile, 1).route == GemmRoute::items);
  // An item of a batch would have to keep the bits of the single product: both are cut, or neither.
  CHECK(choose_blocking({10, 20, 1 << 20, 2}, wide_tile, 1).route == GemmRoute::deep);
}

TEST_CASE("members share an item when there are few, and take one each when there are many") {
  CHECK(choose_blocking({512, 512, 512}, wide_tile, 2).route == GemmRoute::staged);
  CHECK(choose_blocking({512, 512, 512}, wide_tile, 1).route == GemmRoute::items);
  CHECK(choose_blocking({512, 512, 512, 100}, wide_tile, 2).route == GemmRoute::items);
  CHECK(choose_blocking({512, 512, 512, 3}, wide_tile, 8).route == GemmRoute::staged);
  CHECK(choose_blocking({16, 16, 16, 3}, wide_tile, 8).route == GemmRoute::items);
}

TEST_CASE("a thin side still gives every member tasks") {
  for (const int width : {2, 8, 32}) {
    const Blocking wide = choose_blocking({24, 100000, 256}, wide_tile, width);
    CHECK(wide.blocks_x * wide.chunks_y >= 2 * width);
    const Blocking tall = choose_blocking({100000, 8, 256}, wide_tile, width);
    CHECK(tall.blocks_x * tall.chunks_y >= 2 * width);
  }
}

TEST_CASE("the small path ends with the depth of a block and with the work") {
  CHECK(fits_small_path({160, 160, 160}, wide_tile));
  CHECK_FALSE(fits_small_path({161, 160, 160}, wide_tile));
  CHECK(fits_small_path({4, 4, 256}, wide_tile));
  CHECK_FALSE(fits_small_path({4, 4, 257}, wide_tile));
}
