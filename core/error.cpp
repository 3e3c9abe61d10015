#include "core/error.hpp"

#include <algorithm>
#include <numeric>

namespace tt::core {
namespace {

/// A message is one line whatever a file is called.
std::string on_one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

/// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

Error::Error(Category category, std::string wrong, std::string where, std::string right)
    : category_(category), message_(on_one_line(std::move(wrong))) {
  if (!where.empty()) message_ += ": " + on_one_line(std::move(where));
  if (!right.empty()) message_ += ": " + on_one_line(std::move(right));
}

Error&& Error::at_column(std::string text, std::size_t column) && {
  excerpt_ = on_one_line(std::move(text)) + "\n" + std::string(column, ' ') + "^";
  return std::move(*this);
}

std::vector<std::string> nearest_first(std::string_view word, std::vector<std::string> known) {
  const auto nearest =
      std::min_element(known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
        return distance(word, a) < distance(word, b);
      });
  if (nearest != known.end()) std::rotate(known.begin(), nearest, nearest + 1);
  return known;
}

}  // namespace tt::core
