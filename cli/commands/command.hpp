// What a command is: a row of the table, the options it declares, and what it runs. One file a
// command.
#pragma once

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

struct Command {
  const char* name;
  const char* help;         // one line
  const char* usage;        // the positionals: "SPEC A [B ...]"
  const char* description;  // paragraphs and examples, as printed
  std::span<const OptionRow> options;
  void (*run)(const Arguments& arguments);
};

/// The list of commands, in the order of --help.
std::span<const Command* const> commands();

extern const Command einsum_command, matmul_command, info_command, convert_command, host_command;

/// Options that every command takes.
std::span<const OptionRow> global_options();

}  // namespace tt::cli
