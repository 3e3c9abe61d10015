#include "core/cost/host_class.hpp"

#include <doctest/doctest.h>

using namespace tt::core;

namespace {

double rate_ns(const char* host, Family family, DType dtype) {
  return static_cast<double>(find_builtin_host_class(host)->rate(family, dtype).at(1e6)) / 1e6;
}

}  // namespace

TEST_CASE("the built-in classes are there, others are not") {
  for (const char* name :
       {"aarch64-apple", "x86_64-avx512", "x86_64-avx2", "x86_64-scalar", "generic"})
    CHECK(find_builtin_host_class(name) != nullptr);
  CHECK(find_builtin_host_class("nosuchclass") == nullptr);
  CHECK(builtin_host_classes().size() == 5);
}

TEST_CASE("families have names, and names families") {
  for (std::size_t i = 0; i < family_count; ++i) {
    const auto family = static_cast<Family>(i);
    CHECK(find_family(family_name(family)) == family);
  }
  CHECK(!find_family("gem"));
}

TEST_CASE("narrow types are half of the wide ones, complex has its own rate") {
  CHECK(rate_ns("aarch64-apple", Family::gemm, DType::float64) == 0.037);
  CHECK(rate_ns("aarch64-apple", Family::gemm, DType::float32) == 0.0185);
  CHECK(rate_ns("aarch64-apple", Family::gemm, DType::complex128) == 0.165);
  CHECK(rate_ns("aarch64-apple", Family::gemm, DType::complex64) == 0.0825);
  CHECK(rate_ns("aarch64-apple", Family::gemm, DType::int64) == 0.037);
  CHECK(rate_ns("aarch64-apple", Family::matvec, DType::complex128) == 0.340);
  CHECK(rate_ns("x86_64-avx512", Family::gemm, DType::complex64) == 0.128);
}

TEST_CASE("a family without a complex row takes the real one") {
  CHECK(rate_ns("generic", Family::strided_sum, DType::complex128) == 0.081);
  CHECK(rate_ns("generic", Family::svd_dc, DType::float64) == 53);
}

TEST_CASE("the class that costs the order follows the ISA alone") {
  CHECK(planning_class_for_isa("avx512").name == "x86_64-avx512");
  CHECK(planning_class_for_isa("avx2").name == "x86_64-avx2");
  CHECK(planning_class_for_isa("scalar").name == "generic");
}
