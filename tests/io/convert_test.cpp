#include "io/convert.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/error.hpp"

using namespace tt;
using namespace tt::io;
using core::DType;

namespace {

/// Converts one element.
template <class To, class From>
To converted(From value, DType from, DType to) {
  To result{};
  convert({reinterpret_cast<const std::byte*>(&value), from, false, {}, {}}, {&result, to, {}, {}},
          "a.npy");
  return result;
}

template <class From>
void check_refused(From value, DType from, DType to, const std::string& shown) {
  std::byte result[16] = {};
  try {
    convert({reinterpret_cast<const std::byte*>(&value), from, false, {}, {}}, {result, to, {}, {}},
            "a.npy");
    FAIL("accepted");
  } catch (const core::Error& error) {
    CHECK(error.category() == core::Category::data);
    CHECK(std::string(error.what()).find("a.npy") != std::string::npos);
    CHECK(std::string(error.what()).find(shown) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("float16 is IEEE 754 binary16") {
  // Values of the standard's format: sign 1, exponent 5, fraction 10 bits.
  CHECK(half_to_double(0x0000) == 0);
  CHECK(std::signbit(half_to_double(0x8000)));
  CHECK(half_to_double(0x3c00) == 1);
  CHECK(half_to_double(0xc000) == -2);
  CHECK(half_to_double(0x7bff) == 65504);
  CHECK(half_to_double(0x0400) == 0x1p-14);
  CHECK(half_to_double(0x0001) == 0x1p-24);
  CHECK(std::isinf(half_to_double(0x7c00)));
  CHECK(std::isnan(half_to_double(0x7e00)));
  for (int bits = 0; bits < 0x10000; ++bits) {
    const double value = half_to_double(static_cast<std::uint16_t>(bits));
    if (!std::isnan(value)) CHECK(double_to_half(value) == bits);
  }
}

TEST_CASE("double to float16 rounds to nearest, ties to even, once") {
  // Between every two neighbours: below the middle, the middle, above it.
  for (int bits = 0; bits < 0x7bff; ++bits) {
    CAPTURE(bits);
    const double low = half_to_double(static_cast<std::uint16_t>(bits));
    const double high = half_to_double(static_cast<std::uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    CHECK(double_to_half(std::nextafter(middle, 0)) == bits);
    CHECK(double_to_half(middle) == bits + bits % 2);
    CHECK(double_to_half(std::nextafter(middle, 1e9)) == bits + 1);
  }
  CHECK(double_to_half(65519.99) == 0x7bff);
  CHECK(double_to_half(65520) == 0x7c00);
  CHECK(double_to_half(-1e300) == 0xfc00);
  CHECK(std::isnan(half_to_double(double_to_half(std::nan("")))));
}

TEST_CASE("values are those of NumPy's astype") {
  CHECK(converted<double>(1.1F, DType::float32, DType::float64) == static_cast<double>(1.1F));
  CHECK(converted<float>(0.1, DType::float64, DType::float32) == 0.1F);
  CHECK(converted<float>(std::int64_t{16777217}, DType::int64, DType::float32) == 16777216.0F);
  CHECK(converted<std::int64_t>(-2.9, DType::float64, DType::int64) == -2);
  CHECK(converted<std::int8_t>(std::int64_t{300}, DType::int64, DType::int8) == 44);
  CHECK(converted<std::uint8_t>(std::int8_t{-1}, DType::int8, DType::uint8) == 255);
  CHECK(converted<std::int64_t>(std::uint8_t{7}, DType::boolean, DType::int64) == 1);
  CHECK(converted<std::uint8_t>(0.5, DType::float64, DType::boolean) == 1);
  CHECK(converted<double>(std::numeric_limits<std::uint64_t>::max(), DType::uint64,
                          DType::float64) == 0x1p64);
  CHECK(converted<std::complex<float>>(2.5, DType::float64, DType::complex64) ==
        std::complex<float>(2.5F, 0));
  CHECK(converted<std::complex<double>>(std::complex<float>(1, -2), DType::complex64,
                                        DType::complex128) == std::complex<double>(1, -2));
  CHECK(std::isnan(converted<float>(std::nan(""), DType::float64, DType::float32)));
}

TEST_CASE("what a type cannot hold is an error, never a silent change") {
  check_refused(std::uint64_t{1} << 63, DType::uint64, DType::int64, "9223372036854775808");
  CHECK(converted<std::int64_t>((std::uint64_t{1} << 63) - 1, DType::uint64, DType::int64) ==
        std::numeric_limits<std::int64_t>::max());
  check_refused(std::nan(""), DType::float64, DType::int64, "nan");
  check_refused(0x1p63, DType::float64, DType::int64, "int64");
  check_refused(-1.0, DType::float64, DType::uint8, "uint8");
  check_refused(256.0, DType::float64, DType::uint8, "uint8");
  check_refused(std::complex<double>(1, 0), DType::complex128, DType::float64, "complex");
  CHECK(converted<std::int64_t>(-0x1p63, DType::float64, DType::int64) ==
        std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("every pair of types agrees on small whole numbers") {
  for (const DType from : core::all_dtypes()) {
    for (const DType to : core::all_dtypes()) {
      if (core::is_complex(from) && !core::is_complex(to)) continue;
      CAPTURE(core::dtype_name(from));
      CAPTURE(core::dtype_name(to));
      const std::int64_t numbers[] = {0, 1,
                                      from == DType::boolean || to == DType::boolean ? 1 : 100};
      std::byte stored[48], wanted[48], direct[48];
      const auto whole = [&](void* out, DType dtype) {
        convert({reinterpret_cast<const std::byte*>(numbers), DType::int64, false, {3}, {1}},
                {out, dtype, {3}, {1}}, "");
      };
      whole(stored, from);
      whole(wanted, to);
      convert({stored, from, false, {3}, {1}}, {direct, to, {3}, {1}}, "");
      CHECK(std::memcmp(direct, wanted, 3 * core::dtype_bytes(to)) == 0);
      swap_bytes(stored, from, 3);
      convert({stored, from, core::dtype_bytes(from) > 1, {3}, {1}}, {direct, to, {3}, {1}}, "");
      CHECK(std::memcmp(direct, wanted, 3 * core::dtype_bytes(to)) == 0);
    }
  }
}

TEST_CASE("any strides, any alignment") {
  // A 3 x 4 x 5 array inside bytes that begin at an odd address, read in several orders.
  const core::Shape shape = {3, 4, 5};
  std::vector<float> numbers(60);
  for (std::size_t i = 0; i < 60; ++i) numbers[i] = static_cast<float>(i);
  std::vector<std::byte> odd(60 * sizeof(float) + 1);
  std::memcpy(odd.data() + 1, numbers.data(), 60 * sizeof(float));
  const core::Strides from_strides[] = {{20, 5, 1}, {1, 3, 12}, {5, 15, 1}, {20, 5, -1}, {0, 5, 0}};
  const core::Strides to_strides[] = {{20, 5, 1}, {1, 3, 12}, {1, 15, 3}};
  for (const auto& from : from_strides) {
    for (const auto& to : to_strides) {
      CAPTURE(from[0]);
      CAPTURE(from[2]);
      CAPTURE(to[0]);
      const std::int64_t first = from[2] < 0 ? 4 : 0;
      std::vector<double> result(60, -1);
      convert({odd.data() + 1 + first * 4, DType::float32, false, shape, from},
              {result.data(), DType::float64, shape, to}, "");
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 4; ++j)
          for (std::int64_t k = 0; k < 5; ++k)
            CHECK(result[static_cast<std::size_t>(i * to[0] + j * to[1] + k * to[2])] ==
                  static_cast<double>(first + i * from[0] + j * from[1] + k * from[2]));
    }
  }
}

TEST_CASE("runs longer than one piece") {
  std::vector<float> numbers(1000);
  for (std::size_t i = 0; i < 1000; ++i) numbers[i] = static_cast<float>(i);
  std::vector<double> result(1000);
  convert({reinterpret_cast<const std::byte*>(numbers.data()), DType::float32, false, {1000}, {1}},
          {result.data(), DType::float64, {1000}, {1}}, "");
  for (std::size_t i = 0; i < 1000; ++i) CHECK(result[i] == static_cast<double>(i));
}

TEST_CASE("dense strides keep the order of the axes in memory") {
  CHECK(dense_strides_like({3, 4, 5}, {20, 5, 1}) == core::Strides{20, 5, 1});
  CHECK(dense_strides_like({3, 4, 5}, {1, 3, 12}) == core::Strides{1, 3, 12});
  CHECK(dense_strides_like({3, 2}, {-1, 100}) == core::Strides{1, 3});
  CHECK(dense_strides_like({}, {}) == core::Strides{});
}
