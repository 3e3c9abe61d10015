#include "core/tensor/dtype.hpp"

#include <algorithm>
#include <array>

namespace tt::core {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  DTypeKind kind;
  std::size_t bytes;
};

constexpr std::array<Row, 14> table = {{
    {DType::boolean, "bool", DTypeKind::boolean, 1},
    {DType::int8, "int8", DTypeKind::signed_integer, 1},
    {DType::int16, "int16", DTypeKind::signed_integer, 2},
    {DType::int32, "int32", DTypeKind::signed_integer, 4},
    {DType::int64, "int64", DTypeKind::signed_integer, 8},
    {DType::uint8, "uint8", DTypeKind::unsigned_integer, 1},
    {DType::uint16, "uint16", DTypeKind::unsigned_integer, 2},
    {DType::uint32, "uint32", DTypeKind::unsigned_integer, 4},
    {DType::uint64, "uint64", DTypeKind::unsigned_integer, 8},
    {DType::float16, "float16", DTypeKind::real, 2},
    {DType::float32, "float32", DTypeKind::real, 4},
    {DType::float64, "float64", DTypeKind::real, 8},
    {DType::complex64, "complex64", DTypeKind::complex, 8},
    {DType::complex128, "complex128", DTypeKind::complex, 16},
}};

constexpr std::array<DType, 14> dtypes = [] {
  std::array<DType, 14> list{};
  for (std::size_t i = 0; i < table.size(); ++i) list[i] = table[i].dtype;
  return list;
}();

const Row& row(DType dtype) {
  return table[static_cast<std::size_t>(dtype)];
}

DType of(DTypeKind kind, std::size_t bytes) {
  for (const Row& r : table)
    if (r.kind == kind && r.bytes == bytes) return r.dtype;
  return DType::float64;  // what NumPy does where no integer is wide enough (uint64 with int64)
}

/// The bytes of the real floating type that holds every value of an integer type, as NumPy has it.
std::size_t float_bytes_for(const Row& r) {
  if (r.kind == DTypeKind::boolean || r.bytes == 1) return 2;
  return r.bytes == 2 ? 4 : 8;
}

}  // namespace

std::span<const DType> all_dtypes() {
  return dtypes;
}
std::string_view dtype_name(DType dtype) {
  return row(dtype).name;
}
std::size_t dtype_bytes(DType dtype) {
  return row(dtype).bytes;
}
DTypeKind dtype_kind(DType dtype) {
  return row(dtype).kind;
}

std::optional<DType> find_dtype(std::string_view name) {
  for (const Row& r : table)
    if (r.name == name) return r.dtype;
  return std::nullopt;
}

DType result_type(DType a, DType b) {
  if (dtype_kind(a) > dtype_kind(b)) std::swap(a, b);
  const Row& low = row(a);
  const Row& high = row(b);
  if (low.kind == high.kind) return low.bytes > high.bytes ? a : b;
  if (low.kind == DTypeKind::boolean) return b;
  if (high.kind == DTypeKind::unsigned_integer) {  // low is signed
    return low.bytes > high.bytes ? a : of(DTypeKind::signed_integer, 2 * high.bytes);
  }
  const std::size_t low_bytes = low.kind == DTypeKind::real ? low.bytes : float_bytes_for(low);
  if (high.kind == DTypeKind::real) return of(DTypeKind::real, std::max(low_bytes, high.bytes));
  return of(DTypeKind::complex, std::max(2 * low_bytes, high.bytes));
}

DType computing_type(std::span<const DType> types) {
  if (types.empty()) return DType::float64;
  DType all = types[0];
  bool only_integers = is_integer(all);
  for (const DType t : types.subspan(1)) {
    all = result_type(all, t);
    only_integers = only_integers && is_integer(t);
  }
  if (only_integers) return DType::int64;
  return all == DType::float16 ? DType::float32 : all;
}

DType real_type(DType dtype) {
  return dtype == DType::float32 || dtype == DType::complex64 ? DType::float32 : DType::float64;
}

}  // namespace tt::core
