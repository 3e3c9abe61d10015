// The bar itself needs seconds of work; here: that none is drawn where none belongs.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/run_tt.hpp"

using namespace tt::test;

TEST_CASE("short work and a standard error that is no terminal see no bar") {
  TtFolder folder;
  for (const std::string when : {"auto", "never", "always"}) {
    const Outcome outcome =
        folder.run({"matmul", "@200x200", "@200x200", "-o", "c.npy", "--progress", when});
    check_ok(outcome);
    CHECK(outcome.err.empty());
  }
}
