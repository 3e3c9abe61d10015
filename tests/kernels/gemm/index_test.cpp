#include "kernels/gemm/index.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tt::kernels;

namespace {

using Offsets = std::vector<std::ptrdiff_t>;

struct Both {
  Offsets X, Y;
};

Both offsets_of(std::vector<PairAxis> axes, std::int64_t first, std::int64_t count) {
  Both both{Offsets(static_cast<std::size_t>(count)), Offsets(static_cast<std::size_t>(count))};
  fill_offsets(axes, first, count, both.X.data(), both.Y.data());
  return both;
}

}  // namespace

TEST_CASE("offsets of an index of one axis, of none, and of an empty stretch") {
  CHECK(offsets_of({{5, 3, -2}}, 1, 3).X == Offsets{3, 6, 9});
  CHECK(offsets_of({{5, 3, -2}}, 1, 3).Y == Offsets{-2, -4, -6});
  CHECK(offsets_of({}, 0, 1).X == Offsets{0});
  CHECK(offsets_of({{5, 3, -2}}, 5, 0).X.empty());
  CHECK(offsets_of({{0, 1, 1}, {0, 1, 1}}, 0, 0).X.empty());
}

TEST_CASE("offsets run over the innermost axis first, from any position") {
  const std::vector<PairAxis> axes = {{2, 100, 1}, {3, 10, 2}, {2, 1, 6}};
  const Offsets X = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
  const Offsets Y = {0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11};
  CHECK(index_length(axes) == 12);
  for (std::int64_t first = 0; first < 12; ++first)
    for (std::int64_t count = 0; first + count <= 12; ++count) {
      CAPTURE(first);
      CAPTURE(count);
      const Both both = offsets_of(axes, first, count);
      CHECK(both.X == Offsets(X.begin() + first, X.begin() + first + count));
      CHECK(both.Y == Offsets(Y.begin() + first, Y.begin() + first + count));
    }
}

TEST_CASE("one of the two tensors may be left out") {
  const PairAxis axis{4, 2, 3};
  Offsets Y(4);
  fill_offsets({&axis, 1}, 0, 4, nullptr, Y.data());
  CHECK(Y == Offsets{0, 3, 6, 9});
}

TEST_CASE("runs of neighbours") {
  const Offsets offsets = {4, 5, 6, 9, 10};
  CHECK(unit_run(offsets.data(), 5) == 3);
  CHECK(unit_run(offsets.data() + 2, 3) == 1);
  CHECK(unit_run(offsets.data() + 3, 2) == 2);
}

TEST_CASE("items of a batch, the last axis fastest") {
  const std::vector<BatchAxis> axes = {{2, 10, 0, 3}, {3, 1, 7, 1}};
  CHECK(batch_length(axes) == 6);
  CHECK(batch_length({}) == 1);
  const BatchOffsets at = batch_offsets(axes, 5);
  CHECK(at.A == 12);
  CHECK(at.B == 14);
  CHECK(at.C == 5);
}
