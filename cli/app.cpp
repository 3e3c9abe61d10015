#include "cli/app.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/commands/command.hpp"
#include "cli/messages.hpp"
#include "cli/render.hpp"
#include "core/cost/host_class.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "kernels/isa/table.hpp"

namespace tt::cli {
namespace {

using core::Category;
using core::Error;

/// Stands before an argument that begins as an option does but is none ("->ij", "-[0:3]", "-").
constexpr char guard = '\x01';

bool is_argument(std::string_view text) {
  return text == "-" || text.starts_with("->") || text.starts_with("-[") || text.starts_with("-:");
}

std::string unguarded(std::string text) {
  if (!text.empty() && text.front() == guard) text.erase(0, 1);
  return text;
}

/// The names of a row: "-o,--output" is -o and --output. The last one is its key.
std::vector<std::string> names_of(const OptionRow& row) {
  std::vector<std::string> names;
  const std::string all = row.name;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t comma = std::min(all.find(',', at), all.size());
    names.push_back(all.substr(at, comma - at));
    at = comma + 1;
  }
  return names;
}

/// Every option that a command accepts.
std::vector<const OptionRow*> rows_of(const Command& command) {
  std::vector<const OptionRow*> rows;
  const auto add = [&](std::span<const OptionRow> more) {
    for (const OptionRow& row : more) rows.push_back(&row);
  };
  add(command.options);
  if (command.shares == Shares::results_and_planning) add(result_options());
  add(planning_options());
  add(general_options());
  return rows;
}

const OptionRow* find_row(const std::vector<const OptionRow*>& rows, const std::string& name) {
  for (const OptionRow* row : rows)
    if (std::ranges::count(names_of(*row), name) > 0) return row;
  return nullptr;
}

const Command* find_command(std::string_view name) {
  for (const Command* command : commands())
    if (name == command->name) return command;
  return nullptr;
}

std::vector<std::string> known_commands() {
  std::vector<std::string> names;
  for (const Command* command : commands()) names.emplace_back(command->name);
  return names;
}

/// The command among the arguments: the first that is no option and no value of a global one.
const Command* pick_command(const std::vector<std::string>& args, std::size_t& position) {
  static constexpr Command any = {"", "", "", "", {}, Shares::results_and_planning, nullptr};
  const auto rows = rows_of(any);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].size() > 1 && args[i][0] == '-' && !is_argument(args[i])) {
      const OptionRow* row = find_row(rows, args[i]);
      if (row && *row->value) ++i;
      continue;
    }
    position = i;
    if (const Command* command = find_command(args[i])) return command;
    throw Error(Category::usage, fmt::format("unknown command '{}'", args[i]), "",
                fmt::format("known are {}",
                            fmt::join(core::nearest_first(args[i], known_commands()), ", ")));
  }
  return nullptr;
}

[[noreturn]] void no_command() {
  throw Error(Category::usage, "no command", "",
              "tt [OPTIONS] COMMAND [OPTIONS] ARGUMENTS; tt --help lists the commands");
}

std::string option_help(std::span<const OptionRow> rows) {
  std::string text;
  for (const OptionRow& row : rows)
    text += fmt::format("  {:<30} {}\n", fmt::format("{} {}", row.name, row.value), row.help);
  return text;
}

std::string main_help() {
  std::string text =
      "tt: tensor contraction and linear algebra over files\n\n"
      "usage: tt [OPTIONS] COMMAND [OPTIONS] ARGUMENTS\n\ncommands:\n";
  for (const Command* command : commands())
    text += fmt::format("  {:<10} {}\n", command->name, command->help);
  return text +
         "\n'tt COMMAND --help' shows its options and examples.\n\n"
         "operands: a.npy, a.npz:name, a.h5:/path, - (standard input), @512x512 (made on the "
         "spot),\neach with a selection behind it: a.npy[0:10,::2]\n"
         "\nplanning, running, reporting:\n" +
         option_help(planning_options()) + "\nof every command:\n" + option_help(general_options());
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("tt {}: {}\n\nusage: tt {} {}\n\n{}", command.name, command.help,
                                 command.name, command.usage, command.description);
  if (!command.options.empty()) text += "\noptions:\n" + option_help(command.options);
  if (command.shares == Shares::results_and_planning)
    text += "\nresults:\n" + option_help(result_options());
  if (command.shares != Shares::none)
    text += "\nplanning, running, reporting:\n" + option_help(planning_options());
  return text + "\nof every command:\n" + option_help(general_options());
}

std::string version_text() {
  return fmt::format("tt {}\nlibraries   {}\nisa         {}\nhost class  {}\n", core::version,
                     core::libraries, kernels::select_isa(nullptr).name,
                     core::detected_host_class().name);
}

/// An option that is not known, with the nearest one first.
[[noreturn]] void unknown_option(const Command& command, const std::string& name) {
  std::vector<std::string> known;
  for (const OptionRow* row : rows_of(command))
    for (std::string& each : names_of(*row)) known.push_back(std::move(each));
  throw Error(Category::usage, fmt::format("unknown option '{}'", name), "",
              fmt::format("'{}'? tt {} --help lists them",
                          core::nearest_first(name, std::move(known)).front(), command.name));
}

/// Checks the options that CLI11's own messages would name less well, and guards every argument
/// that is none, so that CLI11 cannot take it for an option. Behind "--" everything is an argument.
std::vector<std::string> checked(const Command& command, const std::vector<const OptionRow*>& rows,
                                 std::vector<std::string> args) {
  std::vector<std::string> result;
  std::set<const OptionRow*> given;
  bool only_arguments = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (!only_arguments && arg == "--") {
      only_arguments = true;
      continue;
    }
    if (only_arguments || arg.size() < 2 || arg[0] != '-' || is_argument(arg)) {
      result.push_back(guard + arg);
      continue;
    }
    result.push_back(arg);
    const std::size_t equals = arg.starts_with("--") ? arg.find('=') : std::string::npos;
    const std::string name = arg.substr(0, equals);
    const OptionRow* row = find_row(rows, name);
    if (!row && name.starts_with("--")) unknown_option(command, name);
    if (!row) continue;  // "-o-", "-qv": left to CLI11
    if (!*row->value) {
      if (equals == std::string::npos) continue;
      throw Error(Category::usage, fmt::format("option '{}' takes no value", name), arg);
    }
    if (!given.insert(row).second)
      throw Error(Category::usage, fmt::format("option '{}' is given twice", name));
    const bool attached = equals != std::string::npos;
    if (attached ? equals + 1 == arg.size() : i + 1 == args.size())
      throw Error(Category::usage, fmt::format("option '{}' lacks its value", name), "",
                  fmt::format("{} {}", name, row->value));
    if (!attached) result.push_back(guard + args[++i]);
  }
  return result;
}

Arguments parse(const Command& command, const std::vector<std::string>& typed) {
  Arguments arguments;
  arguments.command = command.name;
  const std::vector<const OptionRow*> rows = rows_of(command);
  std::vector<std::string> args = checked(command, rows, typed);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras(false);
  std::map<std::string, std::string> values;
  for (const OptionRow* row : rows) {
    const std::string key = names_of(*row).back();
    if (*row->value)
      app.add_option(row->name, values[key])->allow_extra_args(false);
    else
      app.add_flag(row->name, arguments.flags[key]);
  }
  std::vector<std::string> operands;
  app.add_option("operands", operands);
  std::ranges::reverse(args);  // CLI11 reads from the back
  try {
    app.parse(args);
  } catch (const CLI::ExtrasError&) {
    unknown_option(command, app.remaining().front());
  } catch (const CLI::ParseError& error) {
    throw Error(Category::usage, error.what(), "", fmt::format("see tt {} --help", command.name));
  }
  for (std::string& operand : operands) arguments.operands.push_back(unguarded(operand));
  for (auto& [key, value] : values)
    if (app.count(key) > 0) arguments.values[key] = unguarded(value);
  return arguments;
}

}  // namespace

bool Arguments::flag(const std::string& name) const {
  const auto found = flags.find(name);
  return found != flags.end() && found->second;
}

std::optional<std::string> Arguments::value(const std::string& name) const {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  return found->second;
}

void require_operands(const Arguments& arguments, std::size_t count, const Command& command) {
  const std::size_t given = arguments.operands.size();
  if (given != count)
    throw Error(Category::usage,
                fmt::format("{} operand{} given, {} {} needed", given, given == 1 ? " is" : "s are",
                            count, count == 1 ? "is" : "are"),
                "", fmt::format("tt {} {}", command.name, command.usage));
}

void run_app(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const auto end = std::find(args.begin(), args.end(), "--");
  const auto asks = [&](std::string_view option) {
    return std::find(args.begin(), end, option) != end;
  };
  if (args.empty()) no_command();
  if (asks("--version")) return print_text(version_text());
  std::size_t position = 0;
  const bool help = asks("--help") || asks("-h");
  if (help && args.size() == 1) return print_text(main_help());
  const Command* command = pick_command(args, position);
  if (!command) {
    if (help) return print_text(main_help());
    no_command();
  }
  set_message_command(command->name);
  if (help) return print_text(command_help(*command));
  args.erase(args.begin() + static_cast<std::ptrdiff_t>(position));
  command->run(parse(*command, std::move(args)));
}

}  // namespace tt::cli
