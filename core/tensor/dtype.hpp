// Element types: the fourteen that files may hold, the five that are computed in, their names and
// NumPy's promotion between them. Conversion of elements is io's and kernels' business.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tt::core {

enum class DType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  complex64,
  complex128,
};

enum class DTypeKind : std::uint8_t { boolean, signed_integer, unsigned_integer, real, complex };

/// All dtypes, in the order of the enumeration.
std::span<const DType> all_dtypes();

/// NumPy's name: "bool", "int8", ... "complex128".
std::string_view dtype_name(DType dtype);

/// The dtype of that name, or none.
std::optional<DType> find_dtype(std::string_view name);

std::size_t dtype_bytes(DType dtype);
DTypeKind dtype_kind(DType dtype);
inline bool is_complex(DType dtype) {
  return dtype_kind(dtype) == DTypeKind::complex;
}
inline bool is_integer(DType dtype) {  // bool counts as one, as in "integers and bool"
  return dtype_kind(dtype) <= DTypeKind::unsigned_integer;
}

/// numpy.result_type of two dtypes (arrays, not Python scalars).
DType result_type(DType a, DType b);

/// The computing type of einsum, matmul, map and reduce: the result_type of all operands; integers
/// and bool become int64, float16 becomes float32. An empty list is float64.
DType computing_type(std::span<const DType> dtypes);

/// float32 of float32 and complex64, float64 of the others; the type of a real or imaginary part.
DType real_type(DType dtype);

/// C++ type -> DType for the computed types.
template <class T>
inline constexpr DType dtype_of = DType::float64;
template <>
inline constexpr DType dtype_of<float> = DType::float32;
template <>
inline constexpr DType dtype_of<double> = DType::float64;
template <>
inline constexpr DType dtype_of<std::complex<float>> = DType::complex64;
template <>
inline constexpr DType dtype_of<std::complex<double>> = DType::complex128;
template <>
inline constexpr DType dtype_of<std::int64_t> = DType::int64;

/// Calls X(type) for each type that is computed in.
#define TT_FOR_EACH_DTYPE(X) \
  X(float)                   \
  X(double)                  \
  X(std::complex<float>)     \
  X(std::complex<double>)    \
  X(std::int64_t)

}  // namespace tt::core
