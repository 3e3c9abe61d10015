#include <doctest/doctest.h>

#include "core/error.hpp"
#include "core/plan/path.hpp"

using namespace tt::core;

namespace {

enum class Numbering { linear, ssa };

void check_path(std::string_view text, int operands, Numbering numbering, const Path& path) {
  CAPTURE(text);
  CHECK(parse_path(text, operands, numbering == Numbering::ssa) == path);
}

void check_error(std::string_view text, Numbering numbering, std::string_view message) {
  CAPTURE(text);
  try {
    parse_path(text, 3, numbering == Numbering::ssa);
    FAIL("parsed");
  } catch (const Error& error) {
    CHECK(error.category() == Category::usage);
    CHECK(std::string(error.what()).find(message) == 0);
  }
}

}  // namespace

TEST_CASE("linear numbers count the tensors that are left, the result last") {
  check_path("[(0,1),(0,1)]", 3, Numbering::linear, {{0, 1}, {2, 3}});
  check_path("[(1, 2), (0, 1)]", 3, Numbering::linear, {{1, 2}, {0, 3}});
  check_path("[(0,2),(0,1),(0,1)]", 4, Numbering::linear, {{0, 2}, {1, 3}, {4, 5}});
  check_path("[(2,3),(1,2),(0,1)]", 4, Numbering::linear, {{2, 3}, {1, 4}, {0, 5}});
}

TEST_CASE("SSA numbers stay") {
  check_path("[(1,2),(0,3)]", 3, Numbering::ssa, {{1, 2}, {0, 3}});
  check_path("[(0,2),(1,4),(3,5)]", 4, Numbering::ssa, {{0, 2}, {1, 4}, {3, 5}});
}

TEST_CASE("brackets, blanks and Python's last commas") {
  check_path("[[0,1],[0,1]]", 3, Numbering::linear, {{0, 1}, {2, 3}});
  check_path(" [ ( 0 , 1 , ) , (0,1),\n ] ", 3, Numbering::linear, {{0, 1}, {2, 3}});
}

TEST_CASE("longer contractions become pairs from left to right") {
  check_path("[(0,1,2)]", 3, Numbering::linear, {{0, 1}, {3, 2}});
  check_path("[(2,0,1)]", 3, Numbering::linear, {{2, 0}, {3, 1}});
  check_path("[(0,1,2),(3,4)]", 4, Numbering::ssa, {{0, 1}, {4, 2}, {3, 5}});
}

TEST_CASE("one operand has one contraction or none; single ones stand anywhere") {
  check_path("[(0,)]", 1, Numbering::linear, {{0}});
  check_path("[(0)]", 1, Numbering::linear, {{0}});
  check_path("[]", 1, Numbering::linear, {{0}});
  check_path("[(0,),(0,1)]", 2, Numbering::linear, {{0}, {1, 2}});
}

TEST_CASE("what is no full contraction is a usage error") {
  check_error("[(0,3),(0,1)]", Numbering::linear, "bad path: contraction 0 names tensor 3 of 3");
  check_error("[(0,0),(0,1)]", Numbering::linear,
              "bad path: contraction 0 names tensor 0, which is not there or used already");
  check_error("[(0,1),(0,1),(0,1)]", Numbering::linear,
              "bad path: contraction 2 names tensor 1 of 1");
  check_error("[(0,1)]", Numbering::linear, "bad path: 2 tensors are left at its end");
  check_error("[]", Numbering::linear, "bad path: 3 tensors are left at its end");
  check_error("[(0,1),(0,3)]", Numbering::ssa,
              "bad path: contraction 1 names tensor 0, which is not there or used already");
  check_error("[(0,1),(2,4)]", Numbering::ssa,
              "bad path: contraction 1 names tensor 4, which is not there");
}

TEST_CASE("what is no path is a usage error") {
  check_error("", Numbering::linear, "bad path: '[' is missing");
  check_error("(0,1", Numbering::linear, "bad path: '[' is missing");
  check_error("[(0,1)]x", Numbering::linear, "bad path: text behind the path");
  check_error("[(0,1)(0,1)]", Numbering::linear, "bad path: ',' or ']' is missing");
  check_error("[(0 1)]", Numbering::linear, "bad path: ',' or ')' is missing");
  check_error("[(-4,1),(0,1)]", Numbering::linear, "bad path: a tensor's number is missing");
  check_error("[(),(0,1)]", Numbering::linear, "bad path: an empty contraction");
  check_error("[(0,99999999999999999999)]", Numbering::linear,
              "bad path: a number that is too large");
  check_error("[(0,1),(0,", Numbering::linear, "bad path: a tensor's number is missing");
}

TEST_CASE("a path of many steps parses in near-linear time") {
  constexpr int operands = 100000;
  std::string text = "[";
  for (int i = 1; i < operands; ++i) text += "(0,1),";
  const Path path = parse_path(text + "]", operands, false);
  CHECK(path.size() == operands - 1);
  CHECK(path.front() == std::vector<int>{0, 1});
  CHECK(path.back() == std::vector<int>{2 * operands - 4, 2 * operands - 3});
}
