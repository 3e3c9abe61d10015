// The one exception type of the project. Its category is the exit status of the command (cli.md,
// section 6); only cli/main.cpp turns one into the other. A message has three parts, printed in one
// line: what is wrong, where (operand, label, size, file, offset), what would be right.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace tt::core {

enum class Category : int {
  usage = 2,      // unknown option, bad spec, wrong number of operands
  numerical = 3,  // singular, overflow of int64, no convergence
  data = 4,       // corrupt or unsupported file, shapes or dtypes that do not fit
  io = 5,         // no such file, no permission, no space
  memory = 6,     // would not fit into the memory limit
};

class Error : public std::exception {
 public:
  /// The parts `where` and `right` may be empty. Line ends in any part are printed as blanks.
  Error(Category category, std::string wrong, std::string where = {}, std::string right = {});

  /// Adds the two lines that show `text` and a caret under `column` (counted in characters, from
  /// 0).
  Error&& at_column(std::string text, std::size_t column) &&;

  Category category() const { return category_; }
  /// "wrong: where: right" without the parts that are empty.
  const char* what() const noexcept override { return message_.c_str(); }
  /// The text and the caret line of a bad spec, else empty.
  const std::string& excerpt() const { return excerpt_; }

 private:
  Category category_;
  std::string message_;
  std::string excerpt_;
};

/// Of `known`, the name nearest to `word` first (edit distance), then the others in their order.
std::vector<std::string> nearest_first(std::string_view word, std::vector<std::string> known);

}  // namespace tt::core
