#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/command.hpp"
#include "cli/options.hpp"
#include "cli/render.hpp"
#include "core/error.hpp"
#include "io/operand.hpp"

namespace tt::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<OptionRow, 1> rows = {{
    {"--json", "", "as JSON"},
}};

Json member_json(const io::ArrayInfo& member) {
  Json attributes = Json::object();
  for (const auto& [name, value] : member.attributes) {
    const Json parsed = Json::parse(value, nullptr, false);
    attributes[name] = parsed.is_discarded() ? Json(value) : parsed;
  }
  return {{"path", member.path},
          {"dtype", core::dtype_name(member.dtype)},
          {"shape", member.shape},
          {"order", member.fortran_order ? "F" : "C"},
          {"byte_order", member.big_endian ? "big" : "little"},
          {"chunks", member.chunks.empty() ? Json(nullptr) : Json(member.chunks)},
          {"filters", member.filters},
          {"attributes", attributes},
          {"bytes", member.stored_bytes}};
}

std::string member_text(const io::ArrayInfo& member) {
  std::string text = fmt::format(
      "  {:<20} {:<11} {:<18} {}{}", member.path.empty() ? "-" : member.path,
      core::dtype_name(member.dtype), core::shape_text(member.shape),
      core::size_text(member.stored_bytes), member.fortran_order ? ", Fortran order" : "");
  if (member.big_endian) text += ", big-endian";
  if (!member.chunks.empty()) text += fmt::format(", chunks {}", core::shape_text(member.chunks));
  if (!member.filters.empty()) text += fmt::format(", {}", fmt::join(member.filters, ", "));
  text += '\n';
  for (const auto& [name, value] : member.attributes)
    text += fmt::format("    {} = {}\n", name, value);
  return text;
}

void run(const Arguments& arguments) {
  read_options(arguments);  // for the mistakes in them
  if (arguments.operands.empty())
    throw core::Error(core::Category::usage, "no file", "", "tt info FILE...");
  Json list = Json::array();
  std::string text;
  for (const std::string& name : arguments.operands) {
    const io::FileInfo file = io::inspect(name);
    Json members = Json::array();
    text += fmt::format("{} ({})\n", file.file, file.format);
    for (const io::ArrayInfo& member : file.members) {
      members.push_back(member_json(member));
      text += member_text(member);
    }
    list.push_back({{"file", file.file}, {"format", file.format}, {"members", members}});
  }
  print_text(arguments.flag("--json")
                 ? list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                 : text);
}

}  // namespace

const Command info_command = {
    "info",
    "what is in a file: members, datasets, types, shapes",
    "FILE... [--json]",
    R"(Prints path, dtype, shape, size, order, chunks, filters and attributes of every array.

examples:
  tt info a.h5 b.npz
  tt info a.h5 --json
)",
    rows,
    Shares::none,
    run};

}  // namespace tt::cli
