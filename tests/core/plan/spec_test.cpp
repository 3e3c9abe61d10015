#include "core/plan/spec.hpp"

#include <doctest/doctest.h>

#include "core/error.hpp"

using namespace tt::core;

namespace {

using Terms = std::vector<std::vector<Label>>;
constexpr Label dots = ellipsis;

void check_terms(std::string_view text, const std::vector<std::string>& names, const Terms& inputs,
                 const std::optional<std::vector<Label>>& output) {
  CAPTURE(text);
  const Spec spec = parse_spec(text);
  CHECK(spec.names == names);
  CHECK(spec.inputs == inputs);
  CHECK(spec.output == output);
  CHECK(spec.groups.empty());
}

void check_groups(std::string_view text, const Terms& groups) {
  CAPTURE(text);
  CHECK(parse_spec(text).groups == groups);
}

void check_error(std::string_view text, std::size_t column, std::string_view message) {
  CAPTURE(text);
  try {
    parse_spec(text);
    FAIL("parsed");
  } catch (const Error& error) {
    CHECK(error.category() == Category::usage);
    CHECK(std::string(error.what()).find(message) == 0);
    CHECK(error.excerpt() == std::string(text) + "\n" + std::string(column, ' ') + "^");
  }
}

}  // namespace

TEST_CASE("terms and output") {
  check_terms("ij,jk->ik", {"i", "j", "k"}, {{0, 1}, {1, 2}}, std::vector<Label>{0, 2});
  check_terms("ij,jk", {"i", "j", "k"}, {{0, 1}, {1, 2}}, std::nullopt);
  check_terms("ii->", {"i"}, {{0, 0}}, std::vector<Label>{});
  check_terms("i->ii", {"i"}, {{0}}, std::vector<Label>{0, 0});
  check_terms("a...b,...->...a", {"a", "b"}, {{0, dots, 1}, {dots}}, std::vector<Label>{dots, 0});
}

TEST_CASE("empty terms are scalars") {
  check_terms("", {}, {{}}, std::nullopt);
  check_terms("->", {}, {{}}, std::vector<Label>{});
  check_terms(",->", {}, {{}, {}}, std::vector<Label>{});
  check_terms(",i->i", {"i"}, {{}, {0}}, std::vector<Label>{0});
}

TEST_CASE("spaces stand anywhere") {
  check_terms(" i j , j\nk ->\r\n i\tk ", {"i", "j", "k"}, {{0, 1}, {1, 2}},
              std::vector<Label>{0, 2});
  check_terms(" ... i -> ... ", {"i"}, {{dots, 0}}, std::vector<Label>{dots});
}

TEST_CASE("a label is a UTF-8 character or a name in brackets") {
  check_terms("αβ,β日->日α", {"α", "β", "日"}, {{0, 1}, {1, 2}}, std::vector<Label>{2, 0});
  check_terms(
      "b\xcc\x81"
      "c",
      {"b", "\xcc\x81", "c"}, {{0, 1, 2}}, std::nullopt);
  check_terms("_*01&->&", {"_", "*", "0", "1", "&"}, {{0, 1, 2, 3, 4}}, std::vector<Label>{4});
  check_terms("[row][x y],[a]a[,]->[row]", {"row", "x y", "a", ","}, {{0, 1}, {2, 2, 3}},
              std::vector<Label>{0});
}

TEST_CASE("columns count characters") {
  const Spec spec = parse_spec("α[näme],(  ...日, )->日");
  CHECK(spec.term_columns == std::vector<std::size_t>{0, 11, 16});
  CHECK(spec.label_columns == std::vector<std::vector<std::size_t>>{{0, 1}, {11, 14}, {}});
  CHECK(spec.output_columns == std::vector<std::size_t>{20});
}

TEST_CASE("parentheses are groups in SSA numbering") {
  check_groups("(ij,jk),kl->il", {{0, 1}});
  check_groups("ij,(jk,kl)->il", {{1, 2}});
  check_groups("(ij,jk)->ik", {});
  check_groups("((a,b),c)->", {{0, 1}});
  check_groups("((a,b),(c,d)),e", {{0, 1}, {2, 3}, {5, 6}});
  check_groups("(a,(b,(c,d))),e", {{2, 3}, {1, 5}, {0, 6}});
  check_groups("( , ),a", {{0, 1}});
}

TEST_CASE("what is malformed is reported under its column") {
  check_error("ij->,jk->", 4, "',' in the output: column 4 of the spec");
  check_error("ij,jk->il", 8, "output label 'l' is in no operand");
  check_error("->ij,jk", 2, "output label 'i' is in no operand");
  check_error("ij->[row]", 4, "output label '[row]' is in no operand");
  check_error("ij,jk-ik", 5, "'-' without '>'");
  check_error("ij,jk- >ik", 5, "'-' without '>'");
  check_error("ij,jk>ik", 5, "'>' without '-'");
  check_error("ij,jk->>ik", 7, "'>' without '-'");
  check_error("ij,jk->i->", 8, "a second '->'");
  check_error("ij..,jk->ik", 2, "2 dots in a row");
  check_error("i.j,jk", 1, "1 dot in a row");
  check_error("ij....", 2, "4 dots in a row");
  check_error("...i...,jk->ik", 4, "a second '...'");
  check_error("ij,jk->... ...", 11, "a second '...'");
  check_error("[row,jk->k", 0, "'[' is not closed");
  check_error("row],jk->k", 3, "']' without '['");
  check_error("[]j", 0, "an empty name");
  check_error("i[[j]],jk", 2, "'[' inside a name");
  check_error("[αβ[", 3, "'[' inside a name");
  check_error("i#,jk", 1, "'#' is reserved");
  check_error("(ij),jk->ik", 0, "parentheses around a single term");
  check_error("ij,j(->i", 4, "'(' behind a label");
  check_error("(a,b)(c,d)", 5, "'(' behind a label");
  check_error("(a,b)c", 5, "a label behind ')'");
  check_error("(a,b)...", 5, "a label behind ')'");
  check_error("a,(b,(c,d)", 2, "'(' is not closed");
  check_error("(a,b->", 0, "'(' is not closed");
  check_error("a,b)", 3, "')' without '('");
  check_error("a,b->(a)", 5, "'(' in the output");
  check_error("a,b->a)", 6, "')' in the output");
}

TEST_CASE("what is not UTF-8 is reported under its column") {
  check_error("i\xff,jk->k", 1, "byte 0xff is not UTF-8");
  check_error("ij->i\xe6\x97", 5, "byte 0xe6 is not UTF-8");
  check_error("αa\xc0\x80", 2, "byte 0xc0 is not UTF-8");        // overlong
  check_error("\xed\xa0\x80", 0, "byte 0xed is not UTF-8");      // a surrogate
  check_error("\xf4\x90\x80\x80", 0, "byte 0xf4 is not UTF-8");  // beyond U+10FFFF
  check_error("i[α\xff]", 3, "byte 0xff is not UTF-8");
}

TEST_CASE("very long specs parse, and their errors show a window") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "[l" + std::to_string(i) + "]j,";
  const Spec spec = parse_spec(text);
  CHECK(spec.inputs.size() == 100001);
  CHECK(spec.names.size() == 100001);
  try {
    parse_spec(text + "#");
    FAIL("parsed");
  } catch (const Error& error) {
    CHECK(error.excerpt().size() < 300);
    CHECK(error.excerpt().find("#\n" + std::string(60, ' ') + "^") != std::string::npos);
  }
  const std::string open(100000, '(');
  CHECK_THROWS_AS(parse_spec(open), Error);
  CHECK(label_text(parse_spec("[" + std::string(5000, 'x') + "]"), 0).size() < 80);
}
