#include "core/error.hpp"

#include <doctest/doctest.h>

using namespace tt::core;

TEST_CASE("a message joins the parts that are there") {
  CHECK(std::string(Error(Category::data, "sizes differ", "label 'j'", "equal sizes").what()) ==
        "sizes differ: label 'j': equal sizes");
  CHECK(std::string(Error(Category::io, "no such file", "a.npy").what()) == "no such file: a.npy");
  CHECK(std::string(Error(Category::usage, "no operand").what()) == "no operand");
  CHECK(static_cast<int>(Error(Category::memory, "").category()) == 6);
}

TEST_CASE("a message stays one line when a file name has a line end") {
  CHECK(std::string(Error(Category::io, "no such file", "a\nb\tc.npy").what()) ==
        "no such file: a b c.npy");
}

TEST_CASE("the caret stands under the column") {
  const Error error = Error(Category::usage, "bad label").at_column("ij,j#->i", 4);
  CHECK(error.excerpt() == "ij,j#->i\n    ^");
  CHECK(std::string(error.what()) == "bad label");
}

TEST_CASE("the nearest known name stands first, the others keep their order") {
  CHECK(nearest_first("einsun", {"matmul", "einsum", "info"}) ==
        std::vector<std::string>{"einsum", "matmul", "info"});
  CHECK(nearest_first("x", {}).empty());
}
