#include "core/cost/estimate.hpp"

#include <doctest/doctest.h>

using namespace tt::core;

TEST_CASE("products of sizes saturate") {
  CHECK(saturating_product(3, 5) == 15);
  CHECK(saturating_product(std::uint64_t{1} << 40, std::uint64_t{1} << 40) == ~std::uint64_t{0});
}

TEST_CASE("bytes count in a class that counts them, and there only") {
  HostClass host = *find_builtin_host_class("aarch64-apple");
  const Work work{Family::gemm, DType::float64, 1'000'000, 50'000};
  CHECK(rate_millionths_ns(host, work) == 37'000);
  CHECK(estimate_ns(host, work) == 37'000);
  host.counts_bytes = true;
  host.copy_bytes_per_ns = 10;
  CHECK(estimate_ns(host, work) == 42'000);
}
