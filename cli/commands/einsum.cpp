#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "cli/commands/command.hpp"
#include "cli/contraction.hpp"
#include "core/error.hpp"
#include "core/plan/spec.hpp"
#include "io/operand.hpp"

namespace tt::cli {
namespace {

using core::Category;
using core::Error;

constexpr std::array<OptionRow, 12> rows = {{
    {"--conj", "N,N,...", "conjugate these operands (counted from 0)"},
    {"--alpha", "X", "the factor of the contraction (1); complex: 1+2j"},
    {"--beta", "X", "the factor of the old C (0), with --into"},
    {"--into", "C", "add beta * C; without -o the result replaces C"},
    {"--operands", "FILE", "operands from a list, one a line"},
    {"--optimize", "HOW", "auto, greedy, random-greedy, dp, optimal, left, none"},
    {"--minimize", "WHAT", "time, flops, size, write"},
    {"--path", "PATH", "your own order: [(0,1),(0,1)]"},
    {"--ssa", "", "the path numbers results on from the operands"},
    {"--search-time", "S", "seconds for the search of the order"},
    {"--accumulate", "T", "sum in this wider type"},
    {"--explain", "", "print the plan: steps, classes, flops, memory, widths"},
}};

/// A real number at the start of `text`, which moves behind it.
std::optional<double> take_real(std::string_view& text) {
  const bool plus = text.starts_with('+');
  if (plus) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || (plus && text.starts_with('-'))) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// As Python writes it: "1.5", "-2", "3j", "1+2j", "-1e3-2.5j".
std::complex<double> parse_complex(const std::string& text, const std::string& option) {
  std::string_view left = text;
  const auto first = take_real(left);
  if (first && left.empty()) return *first;
  if (first && left == "j") return {0, *first};
  const bool signed_next = left.starts_with('+') || left.starts_with('-');
  const auto second = first && signed_next ? take_real(left) : std::nullopt;
  if (second && left == "j") return {*first, *second};
  throw Error(Category::usage, fmt::format("'{}' is no value of {}", text, option), "",
              "a number: 1.5, -2e3, 1+2j");
}

std::vector<bool> parse_operand_set(const std::string& text, std::size_t operands) {
  std::vector<bool> set(operands, false);
  std::istringstream in(text + ",");
  for (std::string part; std::getline(in, part, ',');)
    set[static_cast<std::size_t>(
        parse_whole(part, "--conj", 0, static_cast<std::int64_t>(operands) - 1))] = true;
  return set;
}

/// The spec itself, or the contents of "@file".
std::string spec_text(const std::string& typed) {
  if (!typed.starts_with('@')) return typed;
  std::ifstream in(typed.substr(1), std::ios::binary);
  if (!in)
    throw Error(Category::io, "cannot read the spec file", typed.substr(1),
                "a file, or the spec itself");
  std::string text;
  for (char c; in.get(c);) text += c;
  if (in.bad())  // a folder opens, but cannot be read
    throw Error(Category::io, "cannot read the spec file", typed.substr(1), "a file");
  return text;
}

void run(const Arguments& arguments) {
  Options options = read_options(arguments);
  if (arguments.operands.empty())
    throw Error(Category::usage, "no spec", "", "tt einsum \"ij,jk->ik\" a.npy b.npy");
  ContractionJob job;
  job.command = "einsum";
  const core::Spec spec = core::parse_spec(spec_text(arguments.operands[0]));
  job.operands.assign(arguments.operands.begin() + 1, arguments.operands.end());
  if (const auto list = arguments.value("--operands"))
    for (std::string& operand : io::read_operand_list(*list))
      job.operands.push_back(std::move(operand));
  if (job.operands.size() != spec.inputs.size())
    throw Error(Category::usage,
                fmt::format("the spec has {} term{} but {} operand{} given", spec.inputs.size(),
                            spec.inputs.size() == 1 ? "" : "s", job.operands.size(),
                            job.operands.size() == 1 ? " is" : "s are"),
                "", "one operand a term");
  job.bind = [&](const std::vector<core::OperandShape>& shapes) {
    return core::bind(spec, shapes);
  };
  if (const auto text = arguments.value("--alpha")) job.alpha = parse_complex(*text, "--alpha");
  if (const auto text = arguments.value("--beta")) job.beta = parse_complex(*text, "--beta");
  job.into = arguments.value("--into").value_or("");
  if (arguments.value("--beta") && job.into.empty())
    throw Error(Category::usage, "--beta without --into", "", "--into C names what beta scales");
  if (const auto text = arguments.value("--conj"))
    job.conjugate = parse_operand_set(*text, job.operands.size());
  if (const auto text = arguments.value("--path")) {
    if (text->empty()) throw Error(Category::usage, "the path is empty", "--path", "[(0,1)]");
    job.path_text = *text;
  }
  job.ssa = arguments.flag("--ssa");
  if (const auto text = arguments.value("--optimize"))
    job.optimize = static_cast<core::Optimize>(parse_choice(
        *text, "--optimize", {"auto", "greedy", "random-greedy", "dp", "optimal", "left", "none"}));
  if (const auto text = arguments.value("--minimize"))
    job.minimize = static_cast<core::Minimize>(
        parse_choice(*text, "--minimize", {"time", "flops", "size", "write"}));
  if (const auto text = arguments.value("--search-time")) {
    job.search_seconds = parse_real(*text, "--search-time");
    if (!(job.search_seconds > 0))
      throw Error(Category::usage, fmt::format("'{}' is no value of --search-time", *text), "",
                  "seconds above 0");
  }
  if (const auto text = arguments.value("--accumulate"))
    job.accumulate = parse_dtype(*text, "--accumulate", DTypeChoice::computing);
  job.explain = arguments.flag("--explain");
  run_contraction(std::move(options), job);
}

}  // namespace

const Command einsum_command = {
    "einsum",
    "contract tensors by Einstein summation",
    "SPEC A [B ...] [OPTIONS]",
    R"(SPEC is NumPy's notation and more: "ij,jk->ik", implicit outputs, "...", labels that repeat
in operands or output, any UTF-8 character, "[row][mid],[mid]->[row]", parentheses that fix
the order, @spec.txt for a spec in a file. The one result is called C.

examples:
  tt einsum "ij,jk->ik" a.h5 b.h5 -o c.h5
  tt einsum "bij,bjk->bik" a.npz:x b.npy --trace --explain
  tt einsum "ij,jk,kl->il" a.npy b.npy c.npy --optimize dp --print
  tt einsum "ij,jk->ik" a.npy b.npy --into c.npy --beta 1
  tt einsum "ij,jk->ik" @1000x20 @20x30 --dry-run --trace --plan-threads 64
)",
    rows,
    Shares::results_and_planning,
    run};

}  // namespace tt::cli
