#include "cli/render.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace tt::cli;
using tt::core::ArrayRef;
using tt::core::c_strides;
using tt::core::DType;
using tt::core::Shape;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
std::string text_of(DType dtype, const Shape& shape, const std::vector<T>& data,
                    const RenderOptions& options = {}) {
  return render_array({data.data(), dtype, shape, c_strides(shape)}, options);
}

std::string doubles(const std::vector<double>& data, int precision = 8) {
  return text_of(DType::float64, {static_cast<std::int64_t>(data.size())}, data,
                 {.precision = precision});
}

template <class T>
std::string scalar_of(DType dtype, T value) {
  return render_scalar({&value, dtype, {}, {}});
}

std::vector<std::int64_t> counted(std::size_t count) {
  std::vector<std::int64_t> data(count);
  std::iota(data.begin(), data.end(), 0);
  return data;
}

}  // namespace

// The expected texts are those of numpy.array2string (1.24.2) and, for scalars, of str.

TEST_CASE("points of floats stand below each other, zeros behind the last digit are left out") {
  CHECK(doubles({1.5, -2, 100}) == "[  1.5  -2.  100. ]");
  CHECK(doubles({0, 0, 0}) == "[0. 0. 0.]");
  CHECK(doubles({-0.0, 1}) == "[-0.  1.]");
  CHECK(doubles({1.0 / 3, 2.0 / 3}, 3) == "[0.333 0.667]");
  CHECK(doubles({0.5}, 0) == "[0.]");
  CHECK(doubles({0.006, 1}, 2) == "[0.01 1.  ]");
}

TEST_CASE("large, small and far apart numbers are written with an exponent") {
  CHECK(doubles({1.0 / 3, 1e-5}) == "[3.33333333e-01 1.00000000e-05]");
  CHECK(doubles({1e100, 1}) == "[1.e+100 1.e+000]");
  CHECK(doubles({1e5, 1e7, 1.5e5}) == "[  100000. 10000000.   150000.]");
  CHECK(doubles({1e8}) == "[1.e+08]");
  CHECK(doubles({1, 1000}) == "[   1. 1000.]");
  CHECK(doubles({1, 1001}) == "[1.000e+00 1.001e+03]");
  CHECK(doubles({0.996, 1e-5}, 0) == "[1.e+00 1.e-05]");
}

TEST_CASE("NaN and Inf are aligned at the right") {
  CHECK(doubles({not_a_number, 1, -inf}) == "[ nan   1. -inf]");
  CHECK(doubles({not_a_number, not_a_number}) == "[nan nan]");
  CHECK(doubles({inf, 1e-5}) == "[   inf 1.e-05]");
}

TEST_CASE("shortest digits come back even where they are not the nearest") {
  CHECK(doubles({0x1p-44}, 17) == "[5.684341886080802e-14]");
  CHECK(scalar_of(DType::float64, 0x1p-44) == "5.684341886080802e-14");
}

TEST_CASE("float32 and float16 get the digits of their own precision") {
  CHECK(text_of<float>(DType::float32, {1}, {0.1F}) == "[0.1]");
  CHECK(text_of<float>(DType::float32, {1}, {0.0001F}) == "[1.e-04]");
  CHECK(text_of<float>(DType::float32, {1}, {99999992.0F}) == "[99999992.]");
  // 0.1, 3.14; 65504, 0.1; 1000, 1; 1000.5, 1; 2^-6; inf, NaN, -2^-24
  CHECK(text_of<std::uint16_t>(DType::float16, {2}, {0x2e66, 0x4248}) == "[0.1  3.14]");
  CHECK(text_of<std::uint16_t>(DType::float16, {2}, {0x7bff, 0x2e66}) == "[6.55e+04 1.00e-01]");
  CHECK(text_of<std::uint16_t>(DType::float16, {2}, {0x63d0, 0x3c00}) == "[1000.    1.]");
  CHECK(text_of<std::uint16_t>(DType::float16, {2}, {0x63d1, 0x3c00}) == "[1.0005e+03 1.0000e+00]");
  CHECK(text_of<std::uint16_t>(DType::float16, {1}, {0x2400}) == "[0.01563]");
  CHECK(text_of<std::uint16_t>(DType::float16, {3}, {0x7c00, 0x7e00, 0x8001}) ==
        "[    inf     nan -6.e-08]");
}

TEST_CASE("complex numbers align both parts") {
  using Complex = std::complex<double>;
  CHECK(text_of<Complex>(DType::complex128, {2}, {{1, 2}, {-3.25, 10}}) ==
        "[ 1.   +2.j -3.25+10.j]");
  CHECK(text_of<Complex>(DType::complex128, {2}, {{not_a_number, inf}, {0, 0}}) ==
        "[nan+infj  0. +0.j]");
  CHECK(text_of<std::complex<float>>(DType::complex64, {1}, {{1, 2}}) == "[1.+2.j]");
}

TEST_CASE("integers and bools are aligned at the right") {
  CHECK(text_of<std::int8_t>(DType::int8, {2}, {-128, 127}) == "[-128  127]");
  CHECK(text_of<std::int16_t>(DType::int16, {2}, {-32768, 1}) == "[-32768      1]");
  CHECK(text_of<std::int32_t>(DType::int32, {2}, {-7, 100}) == "[ -7 100]");
  CHECK(text_of<std::int64_t>(DType::int64, {2, 2}, {1, 2, 3, 40}) == "[[ 1  2]\n [ 3 40]]");
  CHECK(text_of<std::uint8_t>(DType::uint8, {2}, {65, 255}) == "[ 65 255]");
  CHECK(text_of<std::uint16_t>(DType::uint16, {1}, {65535}) == "[65535]");
  CHECK(text_of<std::uint32_t>(DType::uint32, {1}, {4294967295U}) == "[4294967295]");
  CHECK(text_of<std::uint64_t>(DType::uint64, {1}, {std::uint64_t{1} << 63}) ==
        "[9223372036854775808]");
  CHECK(text_of<std::uint8_t>(DType::boolean, {2}, {1, 1}) == "[ True  True]");
  CHECK(text_of<std::uint8_t>(DType::boolean, {2}, {1, 0}) == "[ True False]");
}

TEST_CASE("ranks: 0-d has no brackets, outer axes are parted by empty lines") {
  CHECK(text_of<double>(DType::float64, {}, {14}) == "14.");
  CHECK(text_of<std::uint8_t>(DType::boolean, {}, {1}) == "True");
  CHECK(text_of(DType::int64, {2, 2, 2}, counted(8)) == "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
}

TEST_CASE("an array without elements is a pair of brackets, whatever its other extents") {
  CHECK(text_of<double>(DType::float64, {0}, {}) == "[]");
  CHECK(text_of<double>(DType::float64, {3, 0, 2}, {}) == "[]");
}

TEST_CASE("strides may be negative, permuted or zero") {
  const std::vector<std::int64_t> data = {1, 2, 3, 4, 5, 6};
  const ArrayRef reversed_transpose{data.data() + 2, DType::int64, {3, 2}, {-1, 3}};
  CHECK(render_array(reversed_transpose, {}) == "[[3 6]\n [2 5]\n [1 4]]");
  CHECK(render_array({data.data(), DType::int64, {2, 3}, {1, 0}}, {}) == "[[1 1 1]\n [2 2 2]]");
}

TEST_CASE("more than 1000 elements are summarised, unless all are asked for") {
  CHECK(text_of(DType::int64, {1001}, counted(1001)) == "[   0    1    2 ...  998  999 1000]");
  CHECK(text_of(DType::int64, {2, 501}, counted(1002)) ==
        "[[   0    1    2 ...  498  499  500]\n [ 501  502  503 ...  999 1000 1001]]");
  const std::string ones = " [1 1 1 ... 1 1 1]\n";
  CHECK(text_of(DType::int8, {40, 30}, std::vector<std::int8_t>(1200, 1)) ==
        "[[1 1 1 ... 1 1 1]\n" + ones + ones + " ...\n" + ones + ones + " [1 1 1 ... 1 1 1]]");
  CHECK(text_of(DType::int64, {1000}, counted(1000)).find("...") == std::string::npos);
  CHECK(text_of(DType::int64, {1001}, counted(1001), {.full = true}).find("...") ==
        std::string::npos);
}

TEST_CASE("a broadcast array whose element count overflows is summarised") {
  const std::int64_t huge = std::int64_t{1} << 40;
  const std::int8_t one = 1;
  const std::string text = render_array({&one, DType::int8, {huge, huge}, {0, 0}}, {});
  CHECK(text.starts_with("[[1 1 1 ... 1 1 1]\n [1 1 1 ... 1 1 1]\n"));
}

TEST_CASE("rows are wrapped at the line's end, but a word is never alone too long") {
  CHECK(text_of(DType::int64, {30}, counted(30)) ==
        "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
        " 24 25 26 27 28 29]");
  CHECK(text_of(DType::int64, {10}, counted(10), {.columns = 12}) == "[0 1 2 3 4\n 5 6 7 8 9]");
  CHECK(text_of<std::int64_t>(DType::int64, {2}, {100, 200}, {.columns = 0}) == "[100\n 200]");
}

TEST_CASE("a scalar prints as Python prints the number") {
  CHECK(scalar_of(DType::float64, 14.0) == "14.0");
  CHECK(scalar_of(DType::float64, 0.1) == "0.1");
  CHECK(scalar_of(DType::float64, -0.0) == "-0.0");
  CHECK(scalar_of(DType::float64, 1e15) == "1000000000000000.0");
  CHECK(scalar_of(DType::float64, 1e16) == "1e+16");
  CHECK(scalar_of(DType::float64, 0.0001) == "0.0001");
  CHECK(scalar_of(DType::float64, 0.000015) == "1.5e-05");
  CHECK(scalar_of(DType::float64, not_a_number) == "nan");
  CHECK(scalar_of(DType::float64, -inf) == "-inf");
  CHECK(scalar_of(DType::float32, 0.1F) == "0.1");
  CHECK(scalar_of(DType::float16, std::uint16_t{0x7bff}) == "65500.0");
  CHECK(scalar_of(DType::int64, std::int64_t{14}) == "14");
  CHECK(scalar_of(DType::boolean, std::uint8_t{1}) == "True");
  CHECK(scalar_of(DType::boolean, std::uint8_t{0}) == "False");
}

TEST_CASE("a complex scalar has parentheses unless its real part is +0") {
  using Complex = std::complex<double>;
  CHECK(scalar_of(DType::complex128, Complex(1, 2)) == "(1+2j)");
  CHECK(scalar_of(DType::complex128, Complex(1.5, -1e20)) == "(1.5-1e+20j)");
  CHECK(scalar_of(DType::complex128, Complex(0, -2)) == "-2j");
  CHECK(scalar_of(DType::complex128, Complex(-0.0, 1)) == "(-0+1j)");
  CHECK(scalar_of(DType::complex128, Complex(not_a_number, inf)) == "(nan+infj)");
  CHECK(scalar_of(DType::complex64, std::complex<float>(0.1F, 0)) == "(0.1+0j)");
}
