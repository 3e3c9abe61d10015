#include "core/tensor/shape.hpp"

#include <doctest/doctest.h>

using namespace tt::core;

TEST_CASE("a count that overflows is seen") {
  CHECK(checked_count(Shape{3, 4}) == 12);
  CHECK(checked_count(Shape{}) == 1);
  CHECK(checked_count(Shape{0, std::int64_t{1} << 62, 8}) == 0);
  CHECK(!checked_count(Shape{std::int64_t{1} << 62, 2}));
}

TEST_CASE("strides") {
  CHECK(c_strides(Shape{2, 3, 4}) == Strides{12, 4, 1});
  CHECK(fortran_strides(Shape{2, 3, 4}) == Strides{1, 2, 6});
  CHECK(c_strides(Shape{}).empty());
  CHECK(c_strides(Shape{2, 0, 4}) == Strides{4, 4, 1});
}

TEST_CASE("contiguity looks past axes of extent 1") {
  CHECK(is_c_contiguous(Shape{2, 1, 3}, Strides{3, 77, 1}));
  CHECK(!is_c_contiguous(Shape{2, 3}, Strides{1, 2}));
  CHECK(is_c_contiguous(Shape{0, 3}, Strides{-5, 9}));
  CHECK(is_c_contiguous(Shape{}, Strides{}));
}

TEST_CASE("shapes print as NumPy's") {
  CHECK(shape_text(Shape{}) == "()");
  CHECK(shape_text(Shape{3}) == "(3,)");
  CHECK(shape_text(Shape{3, 4}) == "(3, 4)");
}
