// Where results go: pipes, terminals, files, and streams that take nothing.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/python.hpp"
#include "tests/support/run_tt.hpp"

using namespace tt::test;

namespace {

const std::vector<std::string> product = {"matmul", "@arange:2x3", "@ones:3x2"};
constexpr const char* product_text = "[[ 3.  3.]\n [12. 12.]]\n";

std::vector<std::string> with(std::vector<std::string> arguments,
                              const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("NPY into a pipe, text on a terminal or by --print") {
  TtFolder folder;
  const std::string bytes = check_ok(folder.run(product));
  CHECK(bytes.starts_with("\x93NUMPY"));
  CHECK(check_ok(folder.run(product, {.out = StdoutIs::terminal})) == product_text);
  CHECK(check_ok(folder.run(with(product, {"--print"}))) == product_text);
  CHECK(check_ok(folder.run(with(product, {"-o", "-"}))) == bytes);
  CHECK(check_ok(folder.run(with(product, {"-o", "c.npy"}))).empty());
  CHECK(read_file(folder.file("c.npy")) == bytes);
  CHECK(check_ok(folder.run(with(product, {"-o", "d.npy", "--print"}))) == product_text);
  CHECK(read_file(folder.file("d.npy")) == bytes);
}

TEST_CASE("a scalar is text everywhere but in -o") {
  TtFolder folder;
  const std::vector<std::string> sum = {"einsum", "i->", "@arange:5"};
  CHECK(check_ok(folder.run(sum)) == "10.0\n");
  CHECK(check_ok(folder.run(sum, {.out = StdoutIs::terminal})) == "10.0\n");
  CHECK(check_ok(folder.run(with(sum, {"-o", "-"}))).starts_with("\x93NUMPY"));
}

TEST_CASE("--precision and --full") {
  TtFolder folder;
  const std::vector<std::string> third = {"einsum", "i->i", "@ones:2", "--alpha", "0.123456789"};
  CHECK(check_ok(folder.run(with(third, {"--print"}))) == "[0.12345679 0.12345679]\n");
  CHECK(check_ok(folder.run(with(third, {"--print", "--precision", "2"}))) == "[0.12 0.12]\n");
  const std::vector<std::string> many = {"einsum", "i->i", "@zeros:1001", "--print"};
  CHECK(check_ok(folder.run(many)) == "[0. 0. 0. ... 0. 0. 0.]\n");
  CHECK(check_ok(folder.run(with(many, {"--full"}))).size() > 2000);
}

TEST_CASE("a stream that takes nothing is status 5") {
  TtFolder folder;
  for (const StdoutIs out : {StdoutIs::full_device, StdoutIs::closed}) {
    for (const std::vector<std::string>& arguments : {product,
                                                      with(product, {"--print"}),
                                                      with(product, {"-o", "-"}),
                                                      {"convert", "@2x2", "-"},
                                                      {"host"},
                                                      {"--help"},
                                                      {"--version"}}) {
      const Outcome outcome = folder.run(arguments, {.out = out});
      INFO(outcome.report);
      CHECK(outcome.status == 5);
      CHECK(outcome.err.starts_with("tt: "));
    }
    CHECK(folder.run(with(product, {"-o", "c.npy"}), {.out = out}).status == 0);
  }
}

TEST_CASE("a result goes to every form of target, read back by NumPy and h5py") {
  TtFolder folder;
  for (const std::string target : {"c.npy", "c.npz", "d.npz:x", "c.h5", "d.h5:/g/x"})
    check_ok(folder.run(with(product, {"-o", target})));
  run_python(folder.path(), R"(
c = np.array([[3., 3.], [12., 12.]])
for got in (np.load('c.npy'), np.load('c.npz')['C'], np.load('d.npz')['x'],
            h5py.File('c.h5')['C'][()], h5py.File('d.h5')['g/x'][()]):
    assert got.dtype == np.float64 and np.array_equal(got, c)
)");
}

TEST_CASE("pipelines") {
  TtFolder folder;
  CHECK(check_ok(folder.run_shell(
            "$TT matmul @arange:2x3 @ones:3x2 | $TT einsum 'ij->ji' - | $TT einsum 'ij->' -")) ==
        "30.0\n");
  CHECK(check_ok(folder.run_shell("$TT convert @arange:2x2 c.npz; $TT einsum 'ij,jk->ik' "
                                  "<($TT convert c.npz:C -) c.npz --print")) ==
        "[[ 2.  3.]\n [ 6. 11.]]\n");
  CHECK(check_ok(folder.run_shell("$TT convert @700x700 - | head -c 100 | wc -c; true")) ==
        "100\n");
}

TEST_CASE("a reader that stops ends the command quietly") {
  TtFolder folder;
  const Outcome outcome = folder.run_shell(
      "$TT convert @700x700 - | head -c 1 >h; "
      "echo ${PIPESTATUS[0]}");
  CHECK(outcome.out == "141\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("an empty standard input is bad data and leaves no target") {
  TtFolder folder;
  check_fails(folder.run({"einsum", "i->i", "-", "-o", "c.npy"}), 4,
              "tt: einsum: the stream is empty: standard input: NPY or NPZ bytes");
  CHECK(folder.listing().empty());
}
