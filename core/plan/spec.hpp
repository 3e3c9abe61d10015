// The text of an einsum: labels, terms, output, parentheses. No data and no sizes here; binding
// labels to extents is problem.hpp's. Errors carry the column of the character they are about.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tt::core {

/// A label is a number; its name is a character ("i", "α") or what stood in brackets ("row").
using Label = int;

/// In a term: the place of "...".
inline constexpr Label ellipsis = -1;

/// "ij,jk->ik" is inputs {{0,1},{1,2}}, output {0,2}, names {"i","j","k"}.
struct Spec {
  std::string text;  // as typed, for messages
  std::vector<std::string> names;
  std::vector<std::vector<Label>> inputs;
  std::optional<std::vector<Label>> output;  // none: implicit
  /// For each input the column (in characters) of its first character (an empty term: behind the
  /// comma), and for each of its labels.
  std::vector<std::size_t> term_columns;
  std::vector<std::vector<std::size_t>> label_columns;
  std::vector<std::size_t> output_columns;

  /// The order that parentheses ask for, as a list of groups in SSA numbering: inputs are 0..n-1,
  /// group i makes n+i. "(ij,jk),kl->il" is {{0,1}} (the outermost group is not listed). Empty
  /// without any.
  std::vector<std::vector<int>> groups;
};

/// Parses the notation of cli.md, section 4. Throws Error(usage) with the excerpt and caret; the
/// message of an output label that no input has names it.
Spec parse_spec(std::string_view text);

/// A label as it is printed: "i" or "[row]"; a very long name is cut.
std::string label_name(const Spec& spec, Label label);

/// How messages print a label: "'i'" or "'[row]'".
std::string label_text(const Spec& spec, Label label);

}  // namespace tt::core
