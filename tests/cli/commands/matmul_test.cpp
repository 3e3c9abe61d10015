// matmul: NumPy's shapes. Values are einsum's, which the acceptance tests hold against NumPy.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/python.hpp"
#include "tests/support/run_tt.hpp"

using namespace tt::test;

TEST_CASE("vectors, matrices, stacks and broadcasting as NumPy's matmul") {
  TtFolder folder;
  run_python(folder.path(), R"(
import itertools
shapes = {'v': (3,), 'm': (2, 3), 'c': (3, 4), 's': (5, 2, 3), 't': (5, 3, 4), 'u': (6, 1, 3, 2)}
for name, shape in shapes.items():
    np.save(name + '.npy', np.arange(np.prod(shape)).reshape(shape))
)");
  const std::vector<std::string> pairs = {"vv", "mv", "vc", "mc", "sv", "vt",
                                          "sc", "mt", "st", "su", "mu"};
  for (const std::string& pair : pairs)
    check_ok(folder.run(
        {"matmul", pair.substr(0, 1) + ".npy", pair.substr(1) + ".npy", "-o", pair + ".npy"}));
  run_python(folder.path(), R"(
import glob
pairs = [p for p in glob.glob('??.npy')]
assert len(pairs) == 11
for p in pairs:
    want = np.matmul(np.load(p[0] + '.npy'), np.load(p[1] + '.npy'))
    got = np.load(p)
    assert got.dtype == want.dtype and np.array_equal(got, want), p
)");
}

TEST_CASE("a scalar is no operand of matmul") {
  TtFolder folder;
  check_fails(folder.run({"matmul", "@()", "@3"}), 4,
              "tt: matmul: operand 0 (@()) is a scalar: operands of at least one dimension");
}
