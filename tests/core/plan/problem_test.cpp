#include "core/plan/problem.hpp"

#include <doctest/doctest.h>

#include "core/error.hpp"

using namespace tt::core;

namespace {

std::vector<OperandShape> named(const std::vector<Shape>& shapes) {
  std::vector<OperandShape> operands;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    operands.push_back({shapes[i], std::string(1, static_cast<char>('a' + i)) + ".npy"});
  return operands;
}

void check_output(std::string_view text, const std::vector<Shape>& shapes, std::string_view output,
                  const Shape& shape) {
  CAPTURE(text);
  const Problem problem = bind(parse_spec(text), named(shapes));
  std::string names;
  for (const Label label : problem.output)
    names += problem.names[static_cast<std::size_t>(label)] + " ";
  CHECK(names == output);
  CHECK(problem.output_shape() == shape);
  CHECK(problem.shapes == shapes);
}

void check_error(std::string_view text, const std::vector<Shape>& shapes, Category category,
                 std::string_view message) {
  CAPTURE(text);
  try {
    bind(parse_spec(text), named(shapes));
    FAIL("bound");
  } catch (const Error& error) {
    CHECK(error.category() == category);
    CHECK(std::string(error.what()) == message);
  }
}

void check_matmul(const Shape& a, const Shape& b, const Shape& result) {
  CAPTURE(shape_text(a));
  CAPTURE(shape_text(b));
  CHECK(bind_matmul({a, "a.npy"}, {b, "b.npy"}).output_shape() == result);
}

void check_matmul_error(const Shape& a, const Shape& b, std::string_view message) {
  try {
    bind_matmul({a, "a.npy"}, {b, "b.npy"});
    FAIL("bound");
  } catch (const Error& error) {
    CHECK(error.category() == Category::data);
    CHECK(std::string(error.what()).find(message) == 0);
  }
}

}  // namespace

TEST_CASE("the implicit output is in the order of code points") {
  check_output("ij,jk", {{2, 3}, {3, 4}}, "i k ", {2, 4});
  check_output("ba", {{2, 3}}, "a b ", {3, 2});
  check_output("bAaB", {{2, 3, 4, 5}}, "A B a b ", {3, 5, 4, 2});
  check_output("ii", {{2, 2}}, "", {});
  check_output("iij", {{2, 2, 3}}, "j ", {3});
  check_output("[row]α[b]a", {{1, 2, 3, 4}}, "a b [row] α ", {4, 3, 1, 2});
  check_output("z...a,...", {{2, 5, 3}, {7, 5}}, "...0 ...1 a z ", {7, 5, 3, 2});
}

TEST_CASE("ellipses of differing ranks align at their end and broadcast") {
  check_output("...ij,jk->...ik", {{2, 3, 4, 5}, {5, 6}}, "...0 ...1 i k ", {2, 3, 4, 6});
  check_output("...,...,...", {{4, 3, 2}, {2}, {}}, "...0 ...1 ...2 ", {4, 3, 2});
  check_output("...ij,...jk->...ik", {{1, 3, 2, 4}, {5, 1, 4, 2}}, "...0 ...1 i k ", {5, 3, 2, 2});
  check_output("i...->...i", {{3}}, "i ", {3});
  check_output("ij->...ij", {{2, 3}}, "i j ", {2, 3});
}

TEST_CASE("an axis of 1 broadcasts under a shared label") {
  check_output("ij,ij->j", {{10, 2}, {1, 2}}, "j ", {2});
  check_output("ij,jk->ik", {{3, 1}, {4, 5}}, "i k ", {3, 5});
  check_output("i,i->i", {{1}, {0}}, "i ", {0});
  check_output("ii,i->i", {{1, 1}, {4}}, "i ", {4});
}

TEST_CASE("a label may repeat in the output") {
  check_output("i,j->iji", {{2}, {3}}, "i j i ", {2, 3, 2});
}

TEST_CASE("sizes that do not fit name label, sizes, operands and axes") {
  check_error("ij,jk->ik", {{2, 20}, {30, 4}}, Category::data,
              "label 'j' is 20 in operand 0 (a.npy axis 1) but 30 in operand 1 (b.npy axis 0): "
              "shapes (2, 20) and (30, 4): sizes under one label are equal, or 1");
  check_error("[row][mid],[mid]c", {{2, 5}, {6, 4}}, Category::data,
              "label '[mid]' is 5 in operand 0 (a.npy axis 1) but 6 in operand 1 (b.npy axis 0): "
              "shapes (2, 5) and (6, 4): sizes under one label are equal, or 1");
  check_error("...i,...i->...", {{2, 3}, {4, 3}}, Category::data,
              "label '...0' is 2 in operand 0 (a.npy axis 0) but 4 in operand 1 (b.npy axis 0): "
              "shapes (2, 3) and (4, 3): sizes under one label are equal, or 1");
  check_error("i,i,i", {{1}, {0}, {3}}, Category::data,
              "label 'i' is 0 in operand 1 (b.npy axis 0) but 3 in operand 2 (c.npy axis 0): "
              "shapes (0,) and (3,): sizes under one label are equal, or 1");
}

TEST_CASE("a diagonal does not broadcast") {
  check_error("ii->", {{3, 1}}, Category::data,
              "label 'i' is 3 in operand 0 (a.npy axis 0) but 1 in operand 0 (a.npy axis 1): "
              "shape (3, 1): the axes of a diagonal have one size");
  check_error("ii->i", {{1, 3}}, Category::data,
              "label 'i' is 1 in operand 0 (a.npy axis 0) but 3 in operand 0 (a.npy axis 1): "
              "shape (1, 3): the axes of a diagonal have one size");
}

TEST_CASE("ranks that do not fit name the operand") {
  check_error(
      "A,A->A", {{2}, {2, 2}}, Category::data,
      "operand 1 (b.npy) has 2 dimensions but its term has 1 label: shape (2, 2): one label a "
      "dimension, or '...' for several");
  check_error(
      "i...j->i", {{3}}, Category::data,
      "operand 0 (a.npy) has 1 dimension but its term has 2 labels besides '...': shape (3,): "
      "one label a dimension, or '...' for several");
}

TEST_CASE("the number of operands is that of the terms") {
  check_error("ij,jk->ik", {{2, 2}}, Category::usage,
              "the spec has 2 terms but 1 operand is given: one operand a term");
  check_error("ij->ji", {{2, 2}, {2, 2}}, Category::usage,
              "the spec has 1 term but 2 operands are given: one operand a term");
}

TEST_CASE("axes under an ellipsis do not vanish") {
  check_error(
      "...i->i", {{2, 3, 4}}, Category::usage,
      "the output has no '...', which stands for 2 axes of the operands: put '...' into the "
      "output too");
}

TEST_CASE("a result beyond 2^63-1 elements is refused") {
  check_error("i->" + std::string(2000, 'i'), {{2}}, Category::memory,
              "the result has more than 2^63-1 elements: 2000 dimensions: a smaller output");
}

TEST_CASE("matmul follows NumPy's rules") {
  check_matmul({3, 4}, {4, 5}, {3, 5});
  check_matmul({4}, {4, 5}, {5});
  check_matmul({3, 4}, {4}, {3});
  check_matmul({4}, {4}, {});
  check_matmul({2, 3, 4}, {4, 5}, {2, 3, 5});
  check_matmul({2, 1, 3, 4}, {7, 4, 5}, {2, 7, 3, 5});
  check_matmul({4}, {7, 4, 5}, {7, 5});
  check_matmul({7, 3, 4}, {4}, {7, 3});
  check_matmul({0, 3, 4}, {1, 4, 5}, {0, 3, 5});
  check_matmul({3, 0}, {0, 5}, {3, 5});
}

TEST_CASE("matmul refuses scalars, inner sizes and batch axes that differ") {
  check_matmul_error({}, {3}, "operand 0 (a.npy) is a scalar");
  check_matmul_error(
      {3, 4}, {3, 4},
      "the inner sizes differ: 4 in operand 0 (a.npy axis 1) but 3 in operand 1 (b.npy "
      "axis 0)");
  check_matmul_error({3, 1}, {4, 5}, "the inner sizes differ: 1 in operand 0");
  check_matmul_error(
      {2, 3, 4}, {3, 4, 5},
      "label '...0' is 2 in operand 0 (a.npy axis 0) but 3 in operand 1 (b.npy axis 0)");
}
