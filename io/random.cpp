#include "io/random.hpp"

#include <cmath>
#include <cstddef>

namespace tt::io {
namespace {

template <std::size_t n>
double polynomial(const double (&c)[n], double x) {
  double sum = c[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

/// log(x) for x in (0, 1) from x = m 2^e and 2 atanh((m-1)/(m+1)), m in [sqrt(1/2), sqrt(2)): the
/// math library's differs in the last bit between machines.
double portable_log(double x) {
  constexpr double ln2 = 0.693147180559945309417;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double s2 = s * s;
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * s2 + 1.0 / k;  // s2 <= 0.03: 12 terms do
  return exponent * ln2 + 2 * s * series;
}

// The coefficients of AS 241, PPND16: numerator and denominator near the middle, farther out, in
// the tails.
constexpr double middle_top[] = {
    3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
    45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727};
constexpr double middle_low[] = {1.0,
                                 42.313330701600911252,
                                 687.18700749205790830,
                                 5394.1960214247511077,
                                 21213.794301586595867,
                                 39307.895800092710610,
                                 28729.085735721942674,
                                 5226.4952788528545610};
constexpr double far_top[] = {1.42343711074968357734,   4.63033784615654529590,
                              5.76949722146069140550,   3.64784832476320460504,
                              1.27045825245236838258,   0.241780725177450611770,
                              0.0227238449892691845833, 7.74545014278341407640e-4};
constexpr double far_low[] = {1.0,
                              2.05319162663775882187,
                              1.67638483018380384940,
                              0.689767334985100004550,
                              0.148103976427480074590,
                              0.0151986665636164571966,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
constexpr double tail_top[] = {6.65790464350110377720,    5.46378491116411436990,
                               1.78482653991729133580,    0.296560571828504891230,
                               0.0265321895265761230930,  0.00124266094738807843860,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double tail_low[] = {1.0,
                               0.599832206555887937690,
                               0.136929880922735805310,
                               0.0148753612908506148525,
                               7.86869131145613259100e-4,
                               1.84631831751005468180e-5,
                               1.42151175831644588870e-7,
                               2.04426310338993978564e-15};

}  // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(middle_top, r) / polynomial(middle_low, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? polynomial(far_top, r - 1.6) / polynomial(far_low, r - 1.6)
                          : polynomial(tail_top, r - 5) / polynomial(tail_low, r - 5);
  return q < 0 ? -x : x;
}

double CounterRandom::normal(std::uint64_t i) const {
  return normal_quantile((static_cast<double>(bits(i) >> 12) + 0.5) * 0x1p-52);
}

}  // namespace tt::io
