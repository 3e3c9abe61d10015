#include "core/tensor/dtype.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace tt::core;

namespace {

std::string promoted(const char* a, const char* b) {
  const auto forth = result_type(*find_dtype(a), *find_dtype(b));
  CHECK(forth == result_type(*find_dtype(b), *find_dtype(a)));
  return std::string(dtype_name(forth));
}

std::string computed(std::initializer_list<const char*> names) {
  std::vector<DType> types;
  for (const char* name : names) types.push_back(*find_dtype(name));
  return std::string(dtype_name(computing_type(types)));
}

}  // namespace

TEST_CASE("names and sizes") {
  CHECK(all_dtypes().size() == 14);
  for (const DType t : all_dtypes()) CHECK(find_dtype(dtype_name(t)) == t);
  CHECK(!find_dtype("float77"));
  CHECK(dtype_bytes(DType::complex128) == 16);
  CHECK(dtype_bytes(DType::boolean) == 1);
}

// The whole table of numpy.result_type (NumPy 1.24), by rows and columns in the order of
// all_dtypes().
TEST_CASE("promotion is NumPy's") {
  constexpr const char* table[14] = {
      "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 "
      "complex128",
      "int8 int8 int16 int32 int64 int16 int32 int64 float64 float16 float32 float64 complex64 "
      "complex128",
      "int16 int16 int16 int32 int64 int16 int32 int64 float64 float32 float32 float64 complex64 "
      "complex128",
      "int32 int32 int32 int32 int64 int32 int32 int64 float64 float64 float64 float64 complex128 "
      "complex128",
      "int64 int64 int64 int64 int64 int64 int64 int64 float64 float64 float64 float64 complex128 "
      "complex128",
      "uint8 int16 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 "
      "complex128",
      "uint16 int32 int32 int32 int64 uint16 uint16 uint32 uint64 float32 float32 float64 "
      "complex64 complex128",
      "uint32 int64 int64 int64 int64 uint32 uint32 uint32 uint64 float64 float64 float64 "
      "complex128 complex128",
      "uint64 float64 float64 float64 float64 uint64 uint64 uint64 uint64 float64 float64 float64 "
      "complex128 complex128",
      "float16 float16 float32 float64 float64 float16 float32 float64 float64 float16 float32 "
      "float64 complex64 complex128",
      "float32 float32 float32 float64 float64 float32 float32 float64 float64 float32 float32 "
      "float64 complex64 complex128",
      "float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 "
      "float64 complex128 complex128",
      "complex64 complex64 complex64 complex128 complex128 complex64 complex64 complex128 "
      "complex128 complex64 complex64 complex128 complex64 complex128",
      "complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 "
      "complex128 complex128 complex128 complex128 complex128 complex128"};
  for (std::size_t i = 0; i < 14; ++i) {
    const std::string row = table[i];
    std::size_t at = 0;
    for (std::size_t j = 0; j < 14; ++j) {
      const std::size_t end = std::min(row.find(' ', at), row.size());
      const std::string a(dtype_name(all_dtypes()[i])), b(dtype_name(all_dtypes()[j]));
      CAPTURE(a);
      CAPTURE(b);
      CHECK(promoted(a.c_str(), b.c_str()) == row.substr(at, end - at));
      at = end + 1;
    }
  }
}

TEST_CASE("integers compute in int64, half in float32") {
  CHECK(computed({"int8", "bool"}) == "int64");
  CHECK(computed({"uint64", "int64"}) == "int64");
  CHECK(computed({"float16"}) == "float32");
  CHECK(computed({"int32", "float32"}) == "float64");
  CHECK(computed({"float32", "complex64"}) == "complex64");
  CHECK(computed({}) == "float64");
}
