// What is typed: commands, options in every place and form, help, version.
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "cli/commands/command.hpp"
#include "tests/support/run_tt.hpp"

using namespace tt::test;

namespace {

constexpr const char* ones = "[[1. 1.]\n [1. 1.]]\n";

void check_prints(const std::vector<std::string>& arguments, const std::string& text) {
  TtFolder folder;
  CHECK(check_ok(folder.run(arguments)) == text);
}

void check_refused(const std::vector<std::string>& arguments, const std::string& message) {
  TtFolder folder;
  check_fails(folder.run(arguments), 2, message);
}

void check_help(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
  TtFolder folder;
  const Outcome outcome = folder.run(arguments);
  const std::string help = check_ok(outcome);
  CHECK(outcome.err.empty());
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(help.find(word) != std::string::npos);
  }
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 100);
  }
}

}  // namespace

TEST_CASE("help of every command: its usage, an example, its own options, on standard output") {
  for (const tt::cli::Command* command : tt::cli::commands()) {
    const std::string name = command->name;
    std::vector<std::string> words = {"usage: tt " + name, "examples:\n  tt " + name, "--help"};
    for (const tt::cli::OptionRow& row : command->options) words.emplace_back(row.name);
    check_help({name, "--help"}, words);
    check_help({"-h", name}, words);
  }
}

TEST_CASE("help of tt lists every command") {
  std::vector<std::string> words = {"usage: tt", "--threads", "--version"};
  for (const tt::cli::Command* command : tt::cli::commands())
    words.push_back(std::string("\n  ") + command->name + " ");
  check_help({"--help"}, words);
  check_help({"-q", "--help"}, words);
}

TEST_CASE("the version names the libraries, the ISA and the host class") {
  check_help({"--version"}, {"tt ", "HDF5 1.", "zlib 1.", "xsimd ", "isa ", "host class "});
}

TEST_CASE("no command, an unknown one: the nearest first") {
  check_refused({},
                "tt: no command: tt [OPTIONS] COMMAND [OPTIONS] ARGUMENTS; tt --help lists the "
                "commands");
  check_refused({"--threads", "2"},
                "tt: no command: tt [OPTIONS] COMMAND [OPTIONS] ARGUMENTS; tt "
                "--help lists the commands");
  check_refused({"einsun", "ij", "@2x2"},
                "tt: unknown command 'einsun': known are einsum, matmul, info, convert, host");
  check_refused({"convrt"},
                "tt: unknown command 'convrt': known are convert, einsum, matmul, info, host");
}

TEST_CASE("an unknown option names the nearest") {
  check_refused({"einsum", "ij", "@2x2", "--optimise", "dp"},
                "tt: einsum: unknown option '--optimise': '--optimize'? tt einsum --help lists "
                "them");
  check_refused({"matmul", "@2x2", "@2x2", "--treads=2"},
                "tt: matmul: unknown option '--treads': '--threads'? tt matmul --help lists them");
  check_refused({"info", "--jason"},
                "tt: info: unknown option '--jason': '--json'? tt info --help lists them");
  check_refused({"einsum", "ij", "@2x2", "-x"},
                "tt: einsum: unknown option '-x': '-o'? tt einsum --help lists them");
}

TEST_CASE("an option without its value, with one too many, or given twice") {
  check_refused({"einsum", "ij", "@2x2", "--threads"},
                "tt: einsum: option '--threads' lacks its value: --threads N");
  check_refused({"einsum", "ij", "@2x2", "--threads="},
                "tt: einsum: option '--threads' lacks its value: --threads N");
  check_refused({"einsum", "ij", "@2x2", "--print=yes"},
                "tt: einsum: option '--print' takes no value: --print=yes");
  check_refused({"einsum", "ij", "@2x2", "--pays", "3", "--pays", "4"},
                "tt: einsum: option '--pays' is given twice");
}

TEST_CASE("the number of operands") {
  check_refused({"matmul", "@2x2"},
                "tt: matmul: 1 operand is given, 2 are needed: tt matmul A B [OPTIONS]");
  check_refused({"convert", "a", "b", "c"},
                "tt: convert: 3 operands are given, 2 are needed: tt convert IN OUT [OPTIONS]");
  check_refused({"host", "x"},
                "tt: host: 1 operand is given, 0 are needed: tt host [--census] [--json]");
  check_refused({"info"}, "tt: info: no file: tt info FILE...");
  check_refused({"einsum"}, "tt: einsum: no spec: tt einsum \"ij,jk->ik\" a.npy b.npy");
}

TEST_CASE("options stand before the command, behind it and among the operands") {
  check_prints({"--threads", "1", "--print", "einsum", "ij", "@ones:2x2"}, ones);
  check_prints({"einsum", "--print", "ij", "--threads=1", "@ones:2x2"}, ones);
  check_prints({"--threads=1", "einsum", "ij", "@ones:2x2", "--print"}, ones);
  check_prints({"-q", "einsum", "ij", "@ones:2x2", "-qv", "--print", "-q"}, ones);
}

TEST_CASE("what begins with a dash and is an argument") {
  check_prints({"einsum", "->", "@ones:()"}, "1.0\n");
  check_prints({"einsum", "--print", "--", "ij", "@ones:2x2"}, ones);
  TtFolder folder;
  check_ok(folder.run({"convert", "@ones:2x2", "--", "-x.npy"}));
  CHECK(folder.listing() == std::vector<std::string>{"-x.npy"});
  CHECK(check_ok(folder.run({"--print", "einsum", "--", "ij", "-x.npy"})) == ones);
  const std::string bytes = read_file(folder.file("-x.npy"));
  CHECK(check_ok(folder.run({"einsum", "--print", "ij", "-"}, {.input = bytes})) == ones);
  CHECK(check_ok(folder.run({"einsum", "--print", "j", "-[0]"}, {.input = bytes})) == "[1. 1.]\n");
  CHECK(check_ok(folder.run({"einsum", "ij", "-", "-o-"}, {.input = bytes})) == bytes);
}
