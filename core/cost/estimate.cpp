#include "core/cost/estimate.hpp"

#include <limits>

namespace tt::core {

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                : product;
}

std::int64_t rate_millionths_ns(const HostClass& host, const Work& work) {
  return host.rate(work.family, work.dtype).at(static_cast<double>(work.units));
}

std::int64_t estimate_ns(const HostClass& host, const Work& work) {
  const std::int64_t compute = estimate_ns(work.units, rate_millionths_ns(host, work));
  if (!host.counts_bytes) return compute;
  return compute +
         static_cast<std::int64_t>(static_cast<double>(work.bytes) / host.copy_bytes_per_ns);
}

}  // namespace tt::core
