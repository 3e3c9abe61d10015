// What a command is: a row of the table, the options it declares, and what it runs. One file a
// command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tt::cli {

/// What was typed, as text: nothing is checked yet.
struct Arguments {
  std::string command;
  std::vector<std::string> operands;          // positionals, in order
  std::map<std::string, std::string> values;  // "--threads" -> "2"
  std::map<std::string, bool> flags;          // "--trace" -> true

  bool flag(const std::string& name) const;
  /// The value of an option, or none when it was not given.
  std::optional<std::string> value(const std::string& name) const;
};

/// An option or flag with its one line of help; `value` is what the help calls its value, empty for
/// a flag.
struct OptionRow {
  const char* name;  // "-o,--output": the last one is its key in Arguments
  const char* value;
  const char* help;
};

/// Which of the shared options say something about a command, and stand in its help.
enum class Shares : std::uint8_t { none, planning, results_and_planning };

struct Command {
  const char* name;
  const char* help;         // one line
  const char* usage;        // the positionals: "SPEC A [B ...]"
  const char* description;  // paragraphs and examples, as printed
  std::span<const OptionRow> options;
  Shares shares;
  void (*run)(const Arguments& arguments);
};

/// The list of commands, in the order of --help.
std::span<const Command* const> commands();

extern const Command einsum_command, matmul_command, info_command, convert_command, host_command;

/// The shared options: where results go and how they look; how a command plans, runs and reports;
/// the rest. Planning options are accepted everywhere, so that `alias tt='tt --threads 2'` works.
std::span<const OptionRow> result_options();
std::span<const OptionRow> planning_options();
std::span<const OptionRow> general_options();

/// Throws Error(usage) unless the command got `count` operands.
void require_operands(const Arguments& arguments, std::size_t count, const Command& command);

}  // namespace tt::cli
