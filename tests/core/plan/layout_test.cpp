#include "core/plan/layout.hpp"

#include <doctest/doctest.h>

using namespace tt::core;

namespace {

std::vector<Label> labels_of(std::string_view letters) {
  return {letters.begin(), letters.end()};
}

/// Letters are labels; all extents are 2 but those of `lengths`.
void check_layout(std::string_view a, std::string_view b, std::string_view result,
                  std::string_view partner, std::string_view next,
                  const std::vector<std::pair<char, int>>& lengths, std::string_view order) {
  CAPTURE(result);
  std::vector<std::int64_t> extents(128, 2);
  for (const auto& [label, length] : lengths) extents[static_cast<std::size_t>(label)] = length;
  const auto a_labels = labels_of(a), b_labels = labels_of(b), result_labels = labels_of(result),
             partner_labels = labels_of(partner), next_labels = labels_of(next);
  CHECK(choose_layout({.a = a_labels,
                       .b = b_labels,
                       .result = result_labels,
                       .partner = partner_labels,
                       .next = next_labels,
                       .extents = extents}) == labels_of(order));
}

}  // namespace

TEST_CASE("the longer part is innermost, the contracted one on a tie") {
  check_layout("ij", "jk", "ki", "kl", "il", {{'i', 4}, {'k', 100}}, "ik");
  check_layout("ij", "jk", "ki", "kl", "il", {{'i', 100}, {'k', 4}}, "ki");
  check_layout("ij", "jk", "ki", "kl", "il", {}, "ik");
}

TEST_CASE("batch labels of the reading step are outermost") {
  check_layout("ijx", "xb", "ijb", "bjk", "bik", {{'b', 50}}, "bij");
}

TEST_CASE("contracted labels follow the partner, free ones the next result") {
  check_layout("abx", "xz", "abz", "bac", "cz", {}, "zba");
  check_layout("abx", "xz", "abz", "zc", "cba", {{'a', 9}, {'b', 9}}, "zba");
}

TEST_CASE("a part is split by the input it comes from, the longer piece inside") {
  // p, q from a and r from b are contracted next.
  check_layout("pqx", "xr", "pqr", "rpq", "", {{'p', 5}, {'q', 5}, {'r', 3}}, "rpq");
  check_layout("pqx", "xr", "pqr", "rpq", "", {{'p', 5}, {'q', 5}, {'r', 99}}, "pqr");
}

TEST_CASE("scalars and single labels have one order") {
  check_layout("x", "x", "", "", "", {}, "");
  check_layout("xi", "x", "i", "i", "", {}, "i");
}
