// Units and bytes of every gate site, from shapes alone. The planner, the gates and the dry run all
// ask here, so that they cannot disagree.
#pragma once

#include <cstdint>

#include "core/cost/host_class.hpp"

namespace tt::core {

/// What a region is estimated by: units of a family, and the bytes it moves (used by classes that
/// count bytes).
struct Work {
  Family family = Family::gemm;
  DType dtype = DType::float64;
  std::uint64_t units = 0;
  std::uint64_t bytes = 0;
};

/// a * b, saturating at 2^64-1.
std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);

/// The rate at these units, in 1e-6 ns per unit.
std::int64_t rate_millionths_ns(const HostClass& host, const Work& work);

/// units * rate(units), plus bytes at the copy rate where the class counts them.
std::int64_t estimate_ns(const HostClass& host, const Work& work);

}  // namespace tt::core
