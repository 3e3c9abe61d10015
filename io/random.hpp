// The numbers of generated operands: element i of seed s is a pure function of i and s, with no
// call into the math library, so it is the same on every machine, in any order and on any width.
#pragma once

#include <cstdint>

namespace tt::io {

/// Random access to one stream of numbers per seed: SplitMix64 (Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014), which is a hash of a counter.
class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t seed) : start_(mix(seed)) {}

  std::uint64_t bits(std::uint64_t i) const { return mix(start_ + (i + 1) * 0x9e3779b97f4a7c15); }
  /// In [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t i) const { return static_cast<double>(bits(i) >> 11) * 0x1p-53; }
  /// Standard normal: the quantile of a uniform number.
  double normal(std::uint64_t i) const;

 private:
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  std::uint64_t start_;
};

/// The quantile of the standard normal distribution at p in (0, 1), to about 16 digits: Wichura,
/// "Algorithm AS 241: the percentage points of the normal distribution", Applied Statistics 1988.
double normal_quantile(double p);

}  // namespace tt::io
