// Messages and exit statuses (cli.md, section 6), and what signals leave behind.
#include <signal.h>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/run_tt.hpp"

using namespace tt::test;

namespace {

// Seconds of arithmetic on operands that are there at once.
const std::vector<std::string> long_work = {
    "matmul", "@2200x2200", "@2200x2200", "--isa", "scalar", "--threads", "2", "-o", "c.npy"};

void check_message(std::vector<std::string> arguments, int status, const std::string& message) {
  TtFolder folder;
  check_fails(folder.run(arguments), status, message);
}

}  // namespace

TEST_CASE("a bad spec shows itself with a caret, counted in characters") {
  check_message({"einsum", "ij,j[k->ik", "@2x3", "@4x5"}, 2,
                "tt: einsum: '[' is not closed: column 4 of the spec: a name stands in brackets: "
                "[row]\nij,j[k->ik\n    ^");
  check_message({"einsum", "äö->äx", "@2x3"}, 2,
                "tt: einsum: output label 'x' is in no operand: column 5 of the spec: labels of "
                "the output come from the operands\näö->äx\n     ^");
  check_message({"einsum", "(ij,jk->ik", "@2x3", "@3x3"}, 2,
                "tt: einsum: '(' is not closed: column 0 of the spec: parentheses group operands: "
                "(ij,jk),kl->il\n(ij,jk->ik\n^");
}

TEST_CASE("sizes that do not fit name labels, operands, axes and shapes") {
  check_message({"einsum", "ij,jk->ik", "@2x3", "@4x5"}, 4,
                "tt: einsum: label 'j' is 3 in operand 0 (@2x3 axis 1) but 4 in operand 1 (@4x5 "
                "axis 0): shapes (2, 3) and (4, 5): sizes under one label are equal, or 1");
  check_message({"einsum", "ii->i", "@2x3"}, 4,
                "tt: einsum: label 'i' is 2 in operand 0 (@2x3 axis 0) but 3 in operand 0 (@2x3 "
                "axis 1): shape (2, 3): the axes of a diagonal have one size");
  check_message({"einsum", "ijk->i", "@2x3"}, 4,
                "tt: einsum: operand 0 (@2x3) has 2 dimensions but its term has 3 labels: shape "
                "(2, 3): one label a dimension, or '...' for several");
  check_message({"matmul", "@2x3", "@2x3"}, 4,
                "tt: matmul: the inner sizes differ: 3 in operand 0 (@2x3 axis 1) but 2 in operand "
                "1 (@2x3 axis 0): shapes (2, 3) and (2, 3): the last axis of the first and the "
                "last but one of the second are equal");
  check_message({"einsum", "ij,jk", "@2x3"}, 2,
                "tt: einsum: the spec has 2 terms but 1 operand is given: one operand a term");
}

TEST_CASE("exit statuses") {
  // 3: what int64 cannot hold. 4: a broken file. 5: none. 6: too large.
  TtFolder folder;
  write_file(folder.file("broken.npy"), "\x93NUMPY\x01");
  const auto check_status = [&](std::vector<std::string> arguments, int status,
                                const std::string& begin) {
    const Outcome outcome = folder.run(arguments);
    INFO(outcome.report);
    CHECK(outcome.status == status);
    CHECK(outcome.err.starts_with("tt: " + arguments[0] + ": " + begin));
    CHECK(outcome.err.find('\n') + 1 == outcome.err.size());
  };
  check_status({"einsum", "i,i,i,i,i,i,i->", "@arange:3000,int64", "@arange:3000,int64",
                "@arange:3000,int64", "@arange:3000,int64", "@arange:3000,int64",
                "@arange:3000,int64", "@arange:3000,int64"},
               3, "");
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"einsum", "ij"}, {"info"}}) {
    std::vector<std::string> bad = command, none = command, folder_itself = command;
    bad.push_back("broken.npy");
    check_status(bad, 4, "");
    none.push_back("none.npy");
    check_status(none, 5, "cannot open the file: No such file or directory: none.npy");
    folder_itself.push_back(".");
    check_status(folder_itself, 5, "");
  }
  check_status({"matmul", "broken.npy", "@2x2"}, 4, "");
  check_status({"convert", "broken.npy", "x.npy"}, 4, "");
  check_status({"matmul", "none.npy", "@2x2"}, 5, "");
  check_status({"convert", "none.npy", "x.npy"}, 5, "");
  check_status({"convert", "@2x2", "none/x.npy"}, 5,
               "cannot write the target: No such file or directory: none/x.npy");
  check_status({"convert", "@2x2", "x.foo"}, 2, "the extension of the target is not known: x.foo");
  check_status({"einsum", "ij", "@500000x500000", "-o", "x.npy"}, 6, "the plan needs ");
  check_status({"matmul", "@9x9", "@9x9", "--memory-limit", "1KiB"}, 6, "the plan needs ");
  check_status({"convert", "@9x900", "x.npy", "--memory-limit", "1KiB"}, 6, "");
  CHECK(folder.listing() == std::vector<std::string>{"broken.npy"});
}

TEST_CASE("a line end in a name does not break the one line of a message") {
  TtFolder folder;
  const Outcome outcome = folder.run({"info", "a\nb.npy"});
  CHECK(outcome.status == 5);
  CHECK(outcome.err == "tt: info: cannot open the file: No such file or directory: a b.npy\n");
}

TEST_CASE("a signal while computing ends the command by that signal and leaves no litter") {
  for (const int signal : {SIGINT, SIGTERM}) {
    TtFolder folder;
    const Outcome outcome = folder.run(long_work, {.signal_at_work = signal});
    INFO(outcome.report);
    CHECK(outcome.status == 128 + signal);
    CHECK(outcome.err.empty());
    CHECK(folder.listing().empty());
  }
}

TEST_CASE("a signal leaves the old target as it was") {
  TtFolder folder;
  write_file(folder.file("c.npy"), "old");
  const Outcome outcome = folder.run(long_work, {.signal_at_work = SIGTERM});
  INFO(outcome.report);
  CHECK(outcome.status == 128 + SIGTERM);
  CHECK(read_file(folder.file("c.npy")) == "old");
  CHECK(folder.listing() == std::vector<std::string>{"c.npy"});
}

TEST_CASE("notes: quiet unless --verbose asks") {
  TtFolder folder;
  const std::vector<std::string> product = {"matmul", "@ones:2x3", "@ones:3x2", "--print"};
  const Outcome plain = folder.run(product);
  CHECK(check_ok(plain) == "[[3. 3.]\n [3. 3.]]\n");
  CHECK(plain.err.empty());
  std::vector<std::string> verbose = product;
  verbose.emplace_back("-v");
  const Outcome told = folder.run(verbose);
  CHECK(check_ok(told) == plain.out);
  CHECK(told.err.starts_with("tt: matmul: 1 step, 24 flops, width 1, "));
}
