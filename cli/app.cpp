#include "cli/app.hpp"

#include <algorithm>
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

std::string key_of(const OptionRow& row) {
  const std::string names = row.name;
  return names.substr(names.rfind(',') + 1);
}

const Command* find_command(std::string_view name) {
  for (const Command* command : commands())
    if (name == command->name) return command;
  return nullptr;
}

/// The names of all options of a command, "-o" and "--output" apart.
std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names = {"--help", "--version"};
  for (const auto rows : {command.options, global_options()})
    for (const OptionRow& row : rows) {
      const std::string all = row.name;
      for (std::size_t at = 0; at < all.size();) {
        const std::size_t comma = std::min(all.find(',', at), all.size());
        names.push_back(all.substr(at, comma - at));
        at = comma + 1;
      }
    }
  return names;
}

/// True when the option takes the argument behind it.
bool takes_value(const Command& command, std::string_view name) {
  for (const auto rows : {command.options, global_options()})
    for (const OptionRow& row : rows) {
      const std::string all = fmt::format(",{},", row.name);
      if (all.find(fmt::format(",{},", name)) != std::string::npos) return *row.value != '\0';
    }
  return false;
}

std::vector<std::string> known_commands() {
  std::vector<std::string> names;
  for (const Command* command : commands()) names.emplace_back(command->name);
  return names;
}

/// The command among the arguments: the first that is no option and no value of a global one.
const Command* pick_command(const std::vector<std::string>& args, std::size_t& position) {
  static constexpr Command none = {"", "", "", "", {}, nullptr};
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].size() > 1 && args[i][0] == '-' && !is_argument(args[i])) {
      if (takes_value(none, args[i])) ++i;
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
  text += "\noptions of every command:\n" + option_help(global_options());
  text +=
      "\n'tt COMMAND --help' tells more and shows examples.\n"
      "operands: a.npy, a.npz:name, a.h5:/path, - (standard input), @512x512 (made on the spot),\n"
      "each with a selection behind it: a.npy[0:10,::2]\n";
  return text;
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("tt {}: {}\n\nusage: tt {} {}\n\n{}\n", command.name, command.help,
                                 command.name, command.usage, command.description);
  if (!command.options.empty()) text += "options:\n" + option_help(command.options) + "\n";
  return text + "options of every command:\n" + option_help(global_options());
}

std::string version_text() {
  return fmt::format("tt {}\nisa {}\nhost class {}\n", core::version,
                     kernels::select_isa(nullptr).name, core::detected_host_class().name);
}

/// An option that is not known, with the nearest one first.
[[noreturn]] void unknown_option(const Command& command, const std::string& typed) {
  const std::string name = typed.substr(0, typed.find('='));
  const auto nearest = core::nearest_first(name, option_names(command));
  throw Error(Category::usage, fmt::format("unknown option '{}'", name), "",
              fmt::format("'{}'? see tt {} --help", nearest.front(), command.name));
}

Arguments parse(const Command& command, std::vector<std::string> args) {
  Arguments arguments;
  arguments.command = command.name;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras(false);
  std::map<std::string, std::string> values;
  for (const auto rows : {command.options, global_options()})
    for (const OptionRow& row : rows) {
      const std::string key = key_of(row);
      if (*row.value)
        app.add_option(row.name, values[key])->allow_extra_args(false);
      else
        app.add_flag(row.name, arguments.flags[key]);
    }
  std::vector<std::string> operands;
  app.add_option("operands", operands);

  // Behind "--" everything is an argument; CLI11 reads from the back.
  bool only_arguments = false, value_next = false;
  for (std::string& arg : args) {
    if (!only_arguments && !value_next && arg == "--") {
      only_arguments = true;
      continue;
    }
    const bool option =
        !only_arguments && !value_next && arg.size() > 1 && arg[0] == '-' && !is_argument(arg);
    value_next = option && takes_value(command, arg);
    if (!option) arg.insert(arg.begin(), guard);
  }
  std::ranges::reverse(args);
  try {
    app.parse(args);
  } catch (const CLI::ExtrasError&) {
    for (const std::string& extra : app.remaining())
      if (extra.starts_with('-')) unknown_option(command, extra);
    throw Error(Category::usage, "too many arguments", "",
                fmt::format("tt {} {}", command.name, command.usage));
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

void run_app(int argc, char** argv) {
  std::vector<std::string> args(argv + 1, argv + argc);
  const auto end = std::find(args.begin(), args.end(), "--");
  const auto asks = [&](std::string_view option) {
    return std::find(args.begin(), end, option) != end;
  };
  if (args.empty()) throw Error(Category::usage, "no command", "", "tt --help lists them");
  if (asks("--version")) return print_text(version_text());
  std::size_t position = 0;
  const bool help = asks("--help") || asks("-h");
  if (help && args.size() == 1) return print_text(main_help());
  const Command* command = pick_command(args, position);
  if (!command) {
    if (help) return print_text(main_help());
    throw Error(Category::usage, "no command", "", "tt --help lists them");
  }
  set_message_command(command->name);
  if (help) return print_text(command_help(*command));
  args.erase(args.begin() + static_cast<std::ptrdiff_t>(position));
  command->run(parse(*command, std::move(args)));
}

}  // namespace tt::cli
