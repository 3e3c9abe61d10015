#include "core/plan/roles.hpp"

#include <algorithm>

namespace tt::core {

StepClass pair_class(const RoleSizes& roles) {
  const bool has_m = roles.m != 1, has_n = roles.n != 1;
  if (roles.k == 1) return has_m && has_n ? StepClass::outer : StepClass::elementwise;
  if (!has_m || !has_n) return StepClass::matvec;
  return roles.batch == 1 ? StepClass::gemm : StepClass::batched;
}

Family family_of(StepClass step_class) {
  switch (step_class) {
    case StepClass::gemm:
    case StepClass::batched:
      return Family::gemm;
    case StepClass::matvec:
      return Family::matvec;
    case StepClass::outer:
    case StepClass::elementwise:
      return Family::strided_map;
    case StepClass::reduce:
      return Family::strided_sum;
    case StepClass::copy:
      break;
  }
  return Family::strided_copy;
}

double pair_units(StepClass step_class, const RoleSizes& roles) {
  switch (step_class) {
    case StepClass::gemm:
    case StepClass::batched:
      return roles.multiply_adds();
    case StepClass::matvec:
      return roles.batch * std::max(roles.m, roles.n) * roles.k;
    default:
      return roles.c();
  }
}

double addition_flops(DType dtype) {
  return is_complex(dtype) ? 2 : 1;
}
double product_flops(DType dtype) {
  return is_complex(dtype) ? 6 : 1;
}

double pair_flops(const RoleSizes& roles, DType dtype) {
  return roles.multiply_adds() *
         (product_flops(dtype) + (roles.k == 1 ? 0 : addition_flops(dtype)));
}

}  // namespace tt::core
