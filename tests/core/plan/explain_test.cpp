#include "core/plan/explain.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "tests/core/plan/networks.hpp"

using namespace tt::core;
using namespace tt::core::testing;

TEST_CASE("the printed plan names steps, totals, naive cost, largest intermediate and peak") {
  const Plan plan =
      make_plan(problem_of("ij,jk,[row]k->[row]i", {{'i', 10}, {'j', 20}, {'k', 30}, {'r', 5}}),
                {{0, 1}, {3, 2}}, {});
  std::ostringstream out;
  write_plan(out, plan, {{4, 1500}, {1, 250}});
  CHECK(out.str() ==
        "step  of   subscripts         class    flops  elements  width  estimate\n"
        "   3  0,1  ij,jk->ik          gemm   1.2e+04       300      4    1.5 us\n"
        "   4  3,2  ik,[row]k->[row]i  gemm      3000        50      1    250 ns\n"
        "total flops: 1.5e+04 (naive: 9e+04, one loop over all labels)\n"
        "total estimate: 1.75 us on one thread, largest width: 4\n"
        "largest intermediate: 300 elements\n"
        "predicted_peak_bytes: 2800 (2.734 KiB)\n");
}

TEST_CASE("columns are counted in characters, and times have their unit") {
  const Plan plan = make_plan(problem_of("αβ->β"), {{0}}, {});
  std::ostringstream out;
  write_plan(out, plan, {{1, 1234567890123}});
  CHECK(out.str().find("step  of  subscripts  class   flops  elements  width  estimate\n"
                       "   1  0   αβ->β       reduce      4         2      1    1235 s\n") == 0);
}
