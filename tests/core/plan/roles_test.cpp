#include "core/plan/roles.hpp"

#include <doctest/doctest.h>

using namespace tt::core;

namespace {

void check_class(const RoleSizes& roles, StepClass step_class, Family family, double units,
                 double flops) {
  CAPTURE(roles.batch);
  CAPTURE(roles.m);
  CAPTURE(roles.n);
  CAPTURE(roles.k);
  CHECK(pair_class(roles) == step_class);
  CHECK(family_of(step_class) == family);
  CHECK(pair_units(step_class, roles) == units);
  CHECK(pair_flops(roles, DType::float64) == flops);
}

}  // namespace

TEST_CASE("class, family, units and flops by role: batch, m, n, k") {
  check_class({1, 3, 5, 4}, StepClass::gemm, Family::gemm, 60, 120);
  check_class({7, 3, 5, 4}, StepClass::batched, Family::gemm, 420, 840);
  check_class({7, 3, 1, 4}, StepClass::matvec, Family::matvec, 84, 168);
  check_class({7, 1, 5, 4}, StepClass::matvec, Family::matvec, 140, 280);
  check_class({1, 1, 1, 4}, StepClass::matvec, Family::matvec, 4, 8);
  check_class({7, 3, 5, 1}, StepClass::outer, Family::strided_map, 105, 105);
  check_class({7, 3, 1, 1}, StepClass::elementwise, Family::strided_map, 21, 21);
  check_class({1, 1, 1, 1}, StepClass::elementwise, Family::strided_map, 1, 1);
  check_class({1, 3, 5, 0}, StepClass::gemm, Family::gemm, 0, 0);
  check_class({1, 0, 5, 1}, StepClass::outer, Family::strided_map, 0, 0);
}

TEST_CASE("a complex multiply-add is 8 flops, a complex product 6") {
  CHECK(pair_flops({1, 3, 5, 4}, DType::complex64) == 480);
  CHECK(pair_flops({1, 3, 5, 1}, DType::complex128) == 90);
}

TEST_CASE("one input is a sum or a copy") {
  CHECK(family_of(StepClass::reduce) == Family::strided_sum);
  CHECK(family_of(StepClass::copy) == Family::strided_copy);
}
