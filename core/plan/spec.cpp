#include "core/plan/spec.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.hpp"

namespace tt::core {
namespace {

constexpr std::string_view reserved = ",->.()[]# \t\n\r\f\v";
constexpr std::size_t npos = std::string_view::npos;

/// The bytes of the UTF-8 character at the start of `text`, or 0 when it is malformed: cut short,
/// overlong, a surrogate or beyond U+10FFFF.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t bytes = lead < 0x80                    ? 1
                            : lead >= 0xc2 && lead <= 0xdf ? 2
                            : lead >= 0xe0 && lead <= 0xef ? 3
                            : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                           : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;
  if (lead == 0xed && byte(1) > 0x9f) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;
  return bytes;
}

/// The length of the next character as messages count it: a malformed byte is one.
std::size_t shown_bytes(std::string_view text) {
  return std::max<std::size_t>(1, character_bytes(text));
}

/// A name as messages print it: in brackets unless it is one character that needs none, and cut
/// when it is very long.
std::string printed_name(const std::string& name) {
  constexpr std::size_t longest = 60;
  if (character_bytes(name) == name.size() && reserved.find(name[0]) == npos) return name;
  if (name.size() <= longest) return '[' + name + ']';
  std::size_t end = 0;
  while (end < longest) end += shown_bytes(std::string_view(name).substr(end));
  return '[' + name.substr(0, end) + "...]";
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { spec_.text = std::string(text); }

  Spec parse() {
    open_.emplace_back();
    start_term();
    while (at_ < text_.size()) step();
    if (!in_output_) end_inputs();
    number_groups();
    return std::move(spec_);
  }

 private:
  /// A parenthesis that is not closed yet, and what stands in it: operands count up from 0, groups
  /// are -1, -2, ... until the number of operands is known.
  struct Open {
    std::vector<int> items;
    std::size_t column = 0;
  };

  void step() {
    const char c = text_[at_];
    switch (c) {
      case ' ':
      case '\t':
      case '\n':
      case '\r':
      case '\f':
      case '\v':
        return advance(1);
      case ',':
        return comma();
      case '-':
        return arrow();
      case '.':
        return dots();
      case '[':
        return bracket();
      case '(':
        return open_group();
      case ')':
        return close_group();
      case '>':
        fail("'>' without '-'", "the output stands behind '->'");
      case ']':
        fail("']' without '['", "a name stands in brackets: [row]");
      case '#':
        fail("'#' is reserved", "use another character or a name in brackets");
      default:
        break;
    }
    const std::size_t bytes = character_bytes(text_.substr(at_));
    if (bytes == 0)
      fail(fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(c)),
           "labels are UTF-8 characters");
    add_label(text_.substr(at_, bytes));
    at_ += bytes;
    ++column_;
  }

  void comma() {
    if (in_output_) fail("',' in the output", "there is one output");
    end_term();
    advance(1);
    start_term();
  }

  void arrow() {
    if (text_.substr(at_, 2) != "->") fail("'-' without '>'", "the output stands behind '->'");
    if (in_output_) fail("a second '->'", "there is one output");
    end_inputs();
    in_output_ = true;
    in_group_end_ = false;
    has_ellipsis_ = false;
    spec_.output.emplace();
    advance(2);
  }

  void dots() {
    const std::size_t end = std::min(text_.find_first_not_of('.', at_), text_.size());
    if (end - at_ != 3)
      fail(fmt::format("{} dot{} in a row", end - at_, end - at_ == 1 ? "" : "s"),
           "an ellipsis is '...'");
    if (has_ellipsis_) fail("a second '...'", "one ellipsis in a term");
    has_ellipsis_ = true;
    append(ellipsis);
    advance(3);
  }

  void bracket() {
    const std::size_t end = text_.find_first_of("[]", at_ + 1);
    if (end == npos) fail("'[' is not closed", "a name stands in brackets: [row]");
    if (end == at_ + 1 && text_[end] == ']')
      fail("an empty name", "a name stands in brackets: [row]");
    // The name may hold anything but must be UTF-8; columns go on in characters.
    std::size_t characters = 1;
    const auto fail_inside = [&](std::string wrong) {
      column_ += characters;
      fail(std::move(wrong), "a name is UTF-8 without brackets in it");
    };
    for (std::size_t i = at_ + 1; i < end; ++characters) {
      const std::size_t bytes = character_bytes(text_.substr(i));
      if (bytes == 0)
        fail_inside(
            fmt::format("byte 0x{:02x} is not UTF-8", static_cast<unsigned char>(text_[i])));
      i += bytes;
    }
    if (text_[end] == '[') fail_inside("'[' inside a name");
    add_label(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    column_ += characters + 1;
  }

  void open_group() {
    if (in_output_) fail("'(' in the output", "parentheses group operands");
    if (in_group_end_ || !spec_.inputs.back().empty())
      fail("'(' behind a label", "parentheses group whole terms: (ij,jk),kl->il");
    spec_.inputs.pop_back();
    spec_.term_columns.pop_back();
    spec_.label_columns.pop_back();
    open_.push_back({{}, column_});
    advance(1);
    start_term();
  }

  void close_group() {
    if (in_output_) fail("')' in the output", "parentheses group operands");
    if (open_.size() == 1) fail("')' without '('", "parentheses group operands: (ij,jk),kl->il");
    end_term();
    if (open_.back().items.size() == 1) {
      column_ = open_.back().column;
      fail("parentheses around a single term", "a group is two or more: (ij,jk),kl->il");
    }
    spec_.groups.push_back(std::move(open_.back().items));
    open_.pop_back();
    open_.back().items.push_back(-static_cast<int>(spec_.groups.size()));
    in_group_end_ = true;
    advance(1);
  }

  void start_term() {
    spec_.inputs.emplace_back();
    spec_.term_columns.push_back(column_);
    spec_.label_columns.emplace_back();
    in_group_end_ = false;
    has_ellipsis_ = false;
  }

  /// At ',', ')', '->' and the end: what stands before it is a term unless it was a group.
  void end_term() {
    if (!in_group_end_) open_.back().items.push_back(static_cast<int>(spec_.inputs.size()) - 1);
  }

  void end_inputs() {
    end_term();
    if (open_.size() > 1) {
      column_ = open_.back().column;
      fail("'(' is not closed", "parentheses group operands: (ij,jk),kl->il");
    }
  }

  void add_label(std::string_view name) {
    const auto found = numbers_.find(std::string(name));
    if (found != numbers_.end()) return append(found->second);
    if (in_output_)
      fail(fmt::format("output label '{}' is in no operand", printed_name(std::string(name))),
           "labels of the output come from the operands");
    const auto label = static_cast<Label>(spec_.names.size());
    spec_.names.emplace_back(name);
    numbers_.emplace(name, label);
    append(label);
  }

  void append(Label label) {
    if (in_output_) {
      spec_.output->push_back(label);
      spec_.output_columns.push_back(column_);
      return;
    }
    if (in_group_end_) fail("a label behind ')'", "a ',' stands between terms");
    if (spec_.inputs.back().empty()) spec_.term_columns.back() = column_;
    spec_.inputs.back().push_back(label);
    spec_.label_columns.back().push_back(column_);
  }

  /// Gives groups their SSA numbers and drops the one that holds everything.
  void number_groups() {
    if (open_.back().items.size() == 1 && !spec_.groups.empty()) spec_.groups.pop_back();
    const auto inputs = static_cast<int>(spec_.inputs.size());
    for (std::vector<int>& group : spec_.groups)
      for (int& item : group)
        if (item < 0) item = inputs - 1 - item;
  }

  /// ASCII only: as many columns as bytes.
  void advance(std::size_t bytes) {
    at_ += bytes;
    column_ += bytes;
  }

  /// Reports what stands at column_, with a window of the text when it is very long.
  [[noreturn]] void fail(std::string wrong, std::string right) {
    constexpr std::size_t longest = 400, before = 60;
    std::string excerpt(text_);
    std::size_t caret = column_;
    if (text_.size() > longest) {
      const std::size_t skipped = column_ > before ? column_ - before : 0;
      std::size_t begin = 0;
      for (std::size_t i = 0; i < skipped; ++i) begin += shown_bytes(text_.substr(begin));
      std::size_t end = begin;
      for (std::size_t i = 0; i < 2 * before && end < text_.size(); ++i)
        end += shown_bytes(text_.substr(end));
      excerpt = std::string(text_.substr(begin, end - begin));
      caret -= skipped;
    }
    throw Error(Category::usage, std::move(wrong), fmt::format("column {} of the spec", column_),
                std::move(right))
        .at_column(std::move(excerpt), caret);
  }

  std::string_view text_;
  std::size_t at_ = 0;      // in bytes
  std::size_t column_ = 0;  // in characters
  bool in_output_ = false;
  bool in_group_end_ = false;  // the item before is a group, so no label may follow
  bool has_ellipsis_ = false;  // of the current term
  std::vector<Open> open_;
  std::unordered_map<std::string, Label> numbers_;
  Spec spec_;
};

}  // namespace

Spec parse_spec(std::string_view text) {
  return Parser(text).parse();
}

std::string label_name(const Spec& spec, Label label) {
  return printed_name(spec.names[static_cast<std::size_t>(label)]);
}

std::string label_text(const Spec& spec, Label label) {
  return '\'' + label_name(spec, label) + '\'';
}

}  // namespace tt::core
