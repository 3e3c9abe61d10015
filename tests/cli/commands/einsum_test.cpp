// The options of einsum: factors, conjugation, lists and files, orders, the explained plan.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/python.hpp"
#include "tests/support/run_tt.hpp"

using namespace tt::test;

namespace {

void check_prints(TtFolder& folder, std::vector<std::string> arguments, const std::string& text) {
  arguments.insert(arguments.begin(), "einsum");
  arguments.emplace_back("--print");
  CHECK(check_ok(folder.run(arguments)) == text);
}

void check_refused(const std::vector<std::string>& arguments, const std::string& message) {
  TtFolder folder;
  check_fails(folder.run(arguments), 2, "tt: einsum: " + message);
}

}  // namespace

TEST_CASE("alpha, real and complex, as Python writes it") {
  TtFolder folder;
  const auto check_alpha = [&](const std::string& alpha, const std::string& text) {
    check_prints(folder, {"i->i", "@arange:3", "--alpha", alpha}, text);
  };
  check_alpha("2", "[0. 2. 4.]\n");
  check_alpha("+2", "[0. 2. 4.]\n");
  check_alpha("-5e-1", "[-0.  -0.5 -1. ]\n");
  check_alpha("3j", "[0.+0.j 0.+3.j 0.+6.j]\n");
  check_alpha("1+2j", "[0.+0.j 1.+2.j 2.+4.j]\n");
  check_alpha("1e0-2.5e+0j", "[0.+0.j  1.-2.5j 2.-5.j ]\n");
  for (const std::string wrong : {"x", "1+j", "1+2", "+-2", "1e999", "j", "1 + 2j"})
    check_refused({"einsum", "i->i", "@arange:3", "--alpha", wrong},
                  "'" + wrong + "' is no value of --alpha: a number: 1.5, -2e3, 1+2j");
}

TEST_CASE("whole factors keep integers exact, others make them real") {
  TtFolder folder;
  check_prints(folder, {"i->i", "@arange:3,int64", "--alpha", "-2"}, "[ 0 -2 -4]\n");
  check_prints(folder, {"i->i", "@arange:3,int64", "--alpha", "0.5"}, "[0.  0.5 1. ]\n");
}

TEST_CASE("beta and into: C takes part, and takes the result without -o") {
  TtFolder folder;
  check_ok(folder.run({"convert", "@ones:3", "c.npy"}));
  const std::string old = read_file(folder.file("c.npy"));
  check_prints(folder, {"i->i", "@arange:3", "--into", "c.npy", "--beta", "10"}, "[10. 11. 12.]\n");
  check_ok(folder.run(
      {"einsum", "i->i", "@arange:3", "--into", "c.npy", "--beta", "10", "-o", "d.npy"}));
  CHECK(read_file(folder.file("c.npy")) == old);
  check_ok(folder.run({"einsum", "i->i", "@arange:3", "--into", "c.npy", "--beta", "10"}));
  CHECK(read_file(folder.file("c.npy")) == read_file(folder.file("d.npy")));
  check_refused({"einsum", "i->i", "@arange:3", "--beta", "1"},
                "--beta without --into: --into C names what beta scales");
  check_fails(folder.run({"einsum", "i->i", "@arange:4", "--into", "c.npy", "--beta", "1"}), 4,
              "tt: einsum: C does not have the shape of the result: c.npy is (3,), the result is "
              "(4,): equal shapes");
}

TEST_CASE("a beta of 0 reads no value of C") {
  TtFolder folder;
  run_python(folder.path(), "np.save('c.npy', np.full(3, np.nan))");
  check_prints(folder, {"i->i", "@arange:3", "--into", "c.npy", "--beta", "0"}, "[0. 1. 2.]\n");
}

TEST_CASE("conj takes operands from 0") {
  TtFolder folder;
  run_python(folder.path(), "np.save('z.npy', np.array([1+2j, 3-1j]))");
  check_prints(folder, {"i->i", "z.npy", "--conj", "0"}, "[1.-2.j 3.+1.j]\n");
  check_prints(folder, {"i,i->", "z.npy", "z.npy", "--conj", "1"}, "15.+0.j\n");
  check_refused({"einsum", "i->i", "@3", "--conj", "1"},
                "'1' is no value of --conj: a whole number from 0 to 0");
}

TEST_CASE("a spec and operands from files") {
  TtFolder folder;
  write_file(folder.file("s.txt"), "ij,\n jk -> ik\n");
  write_file(folder.file("list.txt"), "@arange:2x2\n\n@ones:2x2\n");
  check_prints(folder, {"@s.txt", "--operands", "list.txt"}, "[[1. 1.]\n [5. 5.]]\n");
  check_prints(folder, {"@s.txt", "@ones:2x2", "@ones:2x2"}, "[[2. 2.]\n [2. 2.]]\n");
  check_fails(folder.run({"einsum", "@none.txt", "@2"}), 5,
              "tt: einsum: cannot read the spec file: none.txt: a file, or the spec itself");
  check_fails(folder.run({"einsum", "@.", "@2"}), 5,
              "tt: einsum: cannot read the spec file: .: a file");
}

TEST_CASE("every way to choose the order gives the sum of the same terms") {
  TtFolder folder;
  const std::vector<std::string> chain = {"ij,jk,kl->il", "@arange:2x3", "@arange:3x4",
                                          "@arange:4x2"};
  // Whole numbers: any order is exact.
  const std::string text = "[[ 324.  422.]\n [1008. 1304.]]\n";
  for (const std::vector<std::string>& how :
       std::vector<std::vector<std::string>>{{},
                                             {"--optimize", "greedy"},
                                             {"--optimize", "dp"},
                                             {"--optimize", "optimal"},
                                             {"--optimize", "left"},
                                             {"--optimize", "none"},
                                             {"--minimize", "flops"},
                                             {"--minimize", "size"},
                                             {"--minimize", "write"},
                                             {"--path", "[(1,2),(0,1)]"},
                                             {"--path", "[(1,2),(0,3)]", "--ssa"},
                                             {"--search-time", "0.01"}}) {
    std::vector<std::string> arguments = chain;
    arguments.insert(arguments.end(), how.begin(), how.end());
    check_prints(folder, arguments, text);
  }
  check_refused({"einsum", "ij", "@2x2", "--optimize", "gready"},
                "'gready' is no value of --optimize: known are greedy, auto, random-greedy, dp, "
                "optimal, left, none");
  check_refused({"einsum", "ij", "@2x2", "--search-time", "0"},
                "'0' is no value of --search-time: seconds above 0");
}

TEST_CASE("the explained plan leaves standard output to the result") {
  TtFolder folder;
  const std::vector<std::string> product = {"einsum", "ij,jk->ik", "@3x4", "@4x5", "--explain"};
  const Outcome piped = folder.run(product);
  CHECK(check_ok(piped).starts_with("\x93NUMPY"));
  CHECK(piped.err.starts_with("step "));
  std::vector<std::string> dry = product;
  dry.emplace_back("--dry-run");
  const Outcome planned = folder.run(dry);
  CHECK(check_ok(planned) == piped.err);
  CHECK(planned.err.empty());
  CHECK(planned.out.find("\npredicted_peak_bytes: ") != std::string::npos);
}

TEST_CASE("--dtype and --accumulate") {
  TtFolder folder;
  run_python(folder.path(), "np.save('f.npy', np.array([1e8, 1, -1e8], 'f4'))");
  CHECK(check_ok(folder.run({"einsum", "i->", "f.npy", "--accumulate", "float64"})) == "1.0\n");
  check_ok(folder.run({"einsum", "i->", "f.npy", "--accumulate", "float64", "-o", "a.npy"}));
  check_ok(folder.run({"einsum", "i->", "f.npy", "--dtype", "complex128", "-o", "b.npy"}));
  run_python(folder.path(), R"(
assert np.load('a.npy').dtype == np.float32 and np.load('b.npy').dtype == np.complex128
assert np.load('b.npy') == 1
)");
}
