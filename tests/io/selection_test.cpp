#include "io/selection.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/error.hpp"

using namespace tt;
using namespace tt::io;

namespace {

/// The numbers that are left of arange(shape), as text, and the shape.
std::string chosen(std::string_view text, const core::Shape& shape) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(core::element_count(shape)));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
  const auto selection = parse_selection(text, shape, "a.npy");
  const core::ArrayRef part =
      select({numbers.data(), core::DType::int64, shape, core::c_strides(shape)}, selection);
  CHECK(part.shape == selected_shape(selection));
  std::string out = core::shape_text(part.shape);
  for (std::int64_t i = 0; i < core::element_count(part.shape); ++i) {
    std::int64_t at = 0, rest = i;
    for (std::size_t axis = part.shape.size(); axis-- > 0;) {
      at += rest % part.shape[axis] * part.strides[axis];
      rest /= part.shape[axis];
    }
    out.append(" ").append(std::to_string(static_cast<const std::int64_t*>(part.data)[at]));
  }
  return out;
}

core::Category refused(std::string_view text) {
  try {
    parse_selection(text, {4, 5}, "a.npy");
  } catch (const core::Error& error) {
    CHECK(std::string(error.what()).find("a.npy") != std::string::npos);
    return error.category();
  }
  return {};
}

}  // namespace

// Expected values from NumPy 1.24: np.arange(n).reshape(shape)[text].
TEST_CASE("selections are NumPy's basic slices") {
  CHECK(chosen("", {3}) == "(3,) 0 1 2");
  CHECK(chosen("[1:3]", {5}) == "(2,) 1 2");
  CHECK(chosen("[-2:]", {5}) == "(2,) 3 4");
  CHECK(chosen("[::-2]", {5}) == "(3,) 4 2 0");
  CHECK(chosen("[4:1:-1]", {5}) == "(3,) 4 3 2");
  CHECK(chosen("[1:4:9223372036854775807]", {5}) == "(1,) 1");
  CHECK(chosen("[::-9223372036854775808]", {5}) == "(1,) 4");
  CHECK(chosen("[4:2]", {5}) == "(0,)");
  CHECK(chosen("[10:]", {5}) == "(0,)");
  CHECK(chosen("[-100:2]", {5}) == "(2,) 0 1");
  CHECK(chosen("[1]", {2, 3}) == "(3,) 3 4 5");
  CHECK(chosen("[-1,::2]", {2, 3}) == "(2,) 3 5");
  CHECK(chosen("[1,2]", {2, 3}) == "() 5");
  CHECK(chosen("[...,0]", {2, 2, 2}) == "(2, 2) 0 2 4 6");
  CHECK(chosen("[1,...]", {2, 2, 2}) == "(2, 2) 4 5 6 7");
  CHECK(chosen("[1,...,0]", {2, 2}) == "() 2");
  CHECK(chosen("[...]", {}) == "() 0");
  CHECK(chosen("[ 1 : 2 , 0, ]", {2, 3}) == "(1,) 3");
  CHECK(chosen("[:,1:]", {0, 3}) == "(0, 2)");
}

TEST_CASE("wrong text is a usage error, wrong indices are bad data") {
  for (const std::string text : {"[1:2", "[]", "[ ]", "[a]", "[1.5]", "[::0]", "[1:2:3:4]",
                                 "[...,...]", "[99999999999999999999999]", "[1,,]", "[--1]"}) {
    CAPTURE(text);
    CHECK(refused(text) == core::Category::usage);
  }
  for (const std::string text : {"[4]", "[0,-6]", "[0,0,0]", "[-5]"}) {
    CAPTURE(text);
    CHECK(refused(text) == core::Category::data);
  }
}
