#include "io/generated.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/operand.hpp"
#include "io/random.hpp"
#include "tests/io/loaded.hpp"

using namespace tt;
using namespace tt::io;
using core::DType;

namespace {

/// The elements of an operand as T, in C order.
template <class T>
std::vector<T> made(const std::string& text, DType as) {
  const test::Loaded loaded = test::load_as(text, as);
  std::vector<T> elements(loaded.bytes.size() / sizeof(T));
  if (!elements.empty()) std::memcpy(elements.data(), loaded.bytes.data(), loaded.bytes.size());
  return elements;
}

std::vector<double> doubles(const std::string& text) {
  return made<double>(text, DType::float64);
}

void check_refused(const std::string& text, const std::string& words) {
  CAPTURE(text);
  try {
    open_operand(text);
    FAIL("accepted");
  } catch (const core::Error& error) {
    CHECK(error.category() == core::Category::usage);
    CHECK(std::string(error.what()).find(words) != std::string::npos);
  }
}

}  // namespace

// SplitMix64 from seed 0, from the reference implementation by Vigna (public domain): the stream of
// seed s here starts at mix(s), and mix(0) is 0.
TEST_CASE("the numbers are those of SplitMix64") {
  const CounterRandom random(0);
  CHECK(random.bits(0) == 0xe220a8397b1dcdaf);
  CHECK(random.bits(1) == 0x6e789e6aa1b965f4);
  CHECK(random.bits(2) == 0x06c45d188009454f);
}

// scipy.stats.norm.ppf (1.10).
TEST_CASE("quantiles of the normal distribution") {
  const struct {
    double p, x;
  } rows[] = {
      {0.5, 0},
      {0.6, 0.2533471031357997},
      {0.9, 1.2815515655446004},
      {0.975, 1.959963984540054},
      {0.02, -2.0537489106318225},
      {1e-5, -4.264890793922825},
      {1e-12, -7.034483825301132},
      {1e-16, -8.222082216130435},
  };
  for (const auto& row : rows) {
    CAPTURE(row.p);
    CHECK(std::fabs(normal_quantile(row.p) - row.x) <= 4e-15 * std::fabs(row.x));
  }
}

TEST_CASE("the simple kinds") {
  CHECK(doubles("@zeros:2x2") == std::vector<double>(4, 0));
  CHECK(doubles("@ones:3") == std::vector<double>(3, 1));
  CHECK(doubles("@eye:2x3") == std::vector<double>{1, 0, 0, 0, 1, 0});
  CHECK(doubles("@eye:2x1x1") == std::vector<double>{1, 1});
  CHECK(doubles("@arange:2x2") == std::vector<double>{0, 1, 2, 3});
  CHECK(doubles("@arange:10[2:8:3]") == std::vector<double>{2, 5});
  CHECK(doubles("@hilbert:2x2") == std::vector<double>{1, 0.5, 0.5, 1.0 / 3});
  CHECK(made<std::int64_t>("@arange:3,int64", DType::int64) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(doubles("@()").size() == 1);
  CHECK(doubles("@0x5").empty());
}

TEST_CASE("normal and uniform numbers have their moments") {
  // Bounds are 6 standard deviations of the estimate for 40000 numbers.
  constexpr double n = 40000;
  double sum = 0, squares = 0;
  for (const double x : doubles("@40000,seed=5")) {
    sum += x;
    squares += x * x;
  }
  CHECK(std::fabs(sum / n) < 6 / std::sqrt(n));
  CHECK(std::fabs(squares / n - 1) < 6 * std::sqrt(2 / n));
  sum = 0;
  for (const double x : doubles("@uniform:40000")) {
    CHECK(x >= 0);
    CHECK(x < 1);
    sum += x;
  }
  CHECK(std::fabs(sum / n - 0.5) < 6 * std::sqrt(1 / (12 * n)));
}

TEST_CASE("seeds, prefixes and dtypes") {
  CHECK(doubles("@8") == doubles("@normal:2x4,float64,seed=0"));
  CHECK(doubles("@8") != doubles("@8,seed=1"));
  const auto wide = doubles("@8");
  const auto narrow = made<float>("@8,float32", DType::float32);
  for (std::size_t i = 0; i < 8; ++i) CHECK(narrow[i] == static_cast<float>(wide[i]));
  // Another computing type gets the rounded numbers.
  const auto rounded = made<double>("@8,float32", DType::float64);
  for (std::size_t i = 0; i < 8; ++i) CHECK(rounded[i] == static_cast<double>(narrow[i]));
}

TEST_CASE("spd and hermitian matrices are Hermitian, spd dominated by its diagonal") {
  for (const std::string kind : {"spd", "hermitian"}) {
    const auto a = made<std::complex<double>>("@" + kind + ":2x5x5,complex128", DType::complex128);
    for (std::size_t item = 0; item < 2; ++item) {
      for (std::size_t i = 0; i < 5; ++i) {
        double others = 0;
        for (std::size_t j = 0; j < 5; ++j) {
          CHECK(a[item * 25 + i * 5 + j] == std::conj(a[item * 25 + j * 5 + i]));
          if (j != i) others += std::abs(a[item * 25 + i * 5 + j]);
        }
        if (kind == "spd") CHECK(a[item * 25 + i * 6].real() > others);
      }
    }
  }
}

TEST_CASE("orthogonal matrices have orthonormal columns") {
  constexpr std::size_t m = 30, n = 20;
  const auto q = made<std::complex<double>>("@orthogonal:30x20,complex128", DType::complex128);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      std::complex<double> sum = i == j ? -1 : 0;
      for (std::size_t k = 0; k < m; ++k) sum += std::conj(q[k * n + i]) * q[k * n + j];
      CHECK(std::abs(sum) < 16 * 30 * 2.3e-16);  // reflections times rows times eps
    }
  }
}

TEST_CASE("sparse numbers are there with their probability") {
  std::size_t count = 0;
  for (const double x : doubles("@sparse=0.1:200x200")) count += x != 0;
  CHECK(std::fabs(static_cast<double>(count) - 4000) < 6 * 60);  // 6 standard deviations
}

TEST_CASE("a huge operand costs nothing until it is loaded") {
  const auto source = open_operand("@2000000x2000000");
  CHECK(source->shape() == core::Shape{2000000, 2000000});
  CHECK(source->load_bytes(DType::float64) == std::uint64_t{32000000000000});
}

TEST_CASE("wrong texts are usage errors that say what is right") {
  check_refused("@", "extent");
  check_refused("@x", "extent");
  check_refused("@3x", "extent");
  check_refused("@-3x4", "extent");
  check_refused("@3.5", "extent");
  check_refused("@99999999999999999999999", "extent");
  check_refused("@4294967296x4294967296", "64 bits");
  check_refused("@norml:3x3", "normal");
  check_refused("@3x3,float77", "float");
  check_refused("@3x3,seed=x", "seed");
  check_refused("@3x3,", "comma");
  check_refused("@spd:3x4", "square");
  check_refused("@eye:3", "two dimensions");
  check_refused("@orthogonal:3x4", "columns");
  check_refused("@orthogonal:3x3,int64", "integer");
  check_refused("@sparse:3x3", "density");
  check_refused("@sparse=2:3x3", "density");
  check_refused("@eye=1:3x3", "value");
}
