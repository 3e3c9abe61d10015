// The text of --path: "[(0,1),(0,1)]" in linear or SSA numbering, made into pairs.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/plan/path.hpp"

namespace tt::core {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  /// The contractions as typed: a list of tuples, each in round or square brackets; a comma may
  /// stand behind the last entry of each, as Python prints it.
  std::vector<std::vector<int>> read() {
    std::vector<std::vector<int>> contractions;
    expect('[');
    while (!take(']')) {
      contractions.push_back(read_tuple());
      if (!take(',') && peek() != ']') fail("',' or ']' is missing");
    }
    skip_blanks();
    if (at_ < text_.size()) fail("text behind the path");
    return contractions;
  }

  [[noreturn]] void fail(std::string wrong) const {
    throw Error(Category::usage, "bad path: " + std::move(wrong), fmt::format("column {}", at_),
                "a path is \"[(0,1),(0,1)]\"")
        .at_column(std::string(text_.substr(0, 400)), std::min<std::size_t>(at_, 400));
  }

 private:
  std::vector<int> read_tuple() {
    std::vector<int> tuple;
    const char close = take('(') ? ')' : ']';
    if (close == ']') expect('[');
    while (!take(close)) {
      tuple.push_back(read_number());
      if (!take(',') && peek() != close) fail(fmt::format("',' or '{}' is missing", close));
    }
    if (tuple.empty()) fail("an empty contraction");
    return tuple;
  }

  int read_number() {
    skip_blanks();
    int number = 0;
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    if (first == last || !std::isdigit(static_cast<unsigned char>(*first)))
      fail("a tensor's number is missing");
    const auto [end, error] = std::from_chars(first, last, number);
    if (error != std::errc()) fail("a number that is too large");
    at_ += static_cast<std::size_t>(end - first);
    return number;
  }

  char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}' is missing", c));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// The tensors that are there, by linear position: a binary indexed tree over SSA numbers, so that
/// paths of many thousand steps take no quadratic time.
class Live {
 public:
  explicit Live(std::size_t capacity) : counts_(capacity + 1, 0), present_(capacity, false) {}

  bool contains(int id) const {
    return static_cast<std::size_t>(id) < present_.size() && present_[static_cast<std::size_t>(id)];
  }
  int size() const { return size_; }

  void add(int id) { change(id, 1); }
  void remove(int id) { change(id, -1); }

  /// The SSA number at a linear position (from 0) below size().
  int at(int position) const {
    std::size_t place = 0, step = 1;
    while (step * 2 < counts_.size()) step *= 2;
    int left = position;
    for (; step > 0; step /= 2)
      if (place + step < counts_.size() && counts_[place + step] <= left) {
        place += step;
        left -= counts_[place];
      }
    return static_cast<int>(place);
  }

 private:
  void change(int id, int by) {
    present_[static_cast<std::size_t>(id)] = by > 0;
    size_ += by;
    for (std::size_t i = static_cast<std::size_t>(id) + 1; i < counts_.size(); i += i & (~i + 1))
      counts_[i] += by;
  }

  std::vector<int> counts_;
  std::vector<bool> present_;
  int size_ = 0;
};

[[noreturn]] void fail_step(std::size_t step, std::string wrong, int operands) {
  throw Error(Category::usage, fmt::format("bad path: contraction {} {}", step, std::move(wrong)),
              fmt::format("{} operands", operands),
              "every tensor is used exactly once, until one is left");
}

}  // namespace

Path parse_path(std::string_view text, int operands, bool ssa) {
  const std::vector<std::vector<int>> typed = Reader(text).read();
  if (typed.empty() && operands == 1) return {{0}};

  // `own` maps the numbers as typed (SSA: operands, then one a contraction) to ours, which count
  // one more for every pair that a longer tuple is lowered to.
  Path path;
  std::vector<int> own(static_cast<std::size_t>(operands));
  Live live(own.size() + typed.size());
  for (int i = 0; i < operands; ++i) {
    own[static_cast<std::size_t>(i)] = i;
    live.add(i);
  }
  for (std::size_t step = 0; step < typed.size(); ++step) {
    std::vector<int> inputs = typed[step];
    if (!ssa) {
      for (int& number : inputs) {
        if (number >= live.size())
          fail_step(step, fmt::format("names tensor {} of {}", number, live.size()), operands);
        number = live.at(number);
      }
    }
    for (const int number : inputs) {
      if (!live.contains(number))
        fail_step(step, fmt::format("names tensor {}, which is not there or used already", number),
                  operands);
      live.remove(number);
    }
    int result = own[static_cast<std::size_t>(inputs[0])];
    if (inputs.size() == 1) {
      path.push_back({result});
      result = operands + static_cast<int>(path.size()) - 1;
    }
    for (std::size_t i = 1; i < inputs.size(); ++i) {
      path.push_back({result, own[static_cast<std::size_t>(inputs[i])]});
      result = operands + static_cast<int>(path.size()) - 1;
    }
    own.push_back(result);
    live.add(operands + static_cast<int>(step));
  }
  if (live.size() != 1)
    throw Error(Category::usage,
                fmt::format("bad path: {} tensors are left at its end", live.size()),
                fmt::format("{} operands", operands),
                "every tensor is used exactly once, until one is left");
  return path;
}

}  // namespace tt::core
