#include "io/hdf5_type.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>

namespace tt::io {
namespace {

using core::DType;

std::string member_name(hid_t type, unsigned index) {
  char* name = H5Tget_member_name(type, index);
  std::string text = name ? name : "";
  H5free_memory(name);
  return text;
}

std::optional<DType> integer_of(std::size_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? DType::int8 : DType::uint8;
    case 2:
      return is_signed ? DType::int16 : DType::uint16;
    case 4:
      return is_signed ? DType::int32 : DType::uint32;
    case 8:
      return is_signed ? DType::int64 : DType::uint64;
    default:
      return std::nullopt;
  }
}

bool has_whole_precision(hid_t type) {
  return H5Tget_precision(type) == 8 * H5Tget_size(type) && H5Tget_offset(type) == 0;
}

std::optional<Hdf5Type> read_integer(hid_t type) {
  const auto dtype = integer_of(H5Tget_size(type), H5Tget_sign(type) == H5T_SGN_2);
  if (!dtype) return std::nullopt;
  return Hdf5Type{*dtype, H5Tget_order(type) == H5T_ORDER_BE, has_whole_precision(type)};
}

/// The bit fields of IEEE 754 in 2, 4 and 8 bytes.
struct FloatLayout {
  std::size_t bytes, sign_at, exponent_at, exponent_bits, mantissa_at, mantissa_bits, bias;
  DType dtype;
};
constexpr std::array<FloatLayout, 3> float_layouts = {{
    {2, 15, 10, 5, 0, 10, 15, DType::float16},
    {4, 31, 23, 8, 0, 23, 127, DType::float32},
    {8, 63, 52, 11, 0, 52, 1023, DType::float64},
}};

std::optional<Hdf5Type> read_float(hid_t type) {
  std::size_t sign_at = 0, exponent_at = 0, exponent_bits = 0, mantissa_at = 0, mantissa_bits = 0;
  if (H5Tget_fields(type, &sign_at, &exponent_at, &exponent_bits, &mantissa_at, &mantissa_bits) < 0)
    return std::nullopt;
  const H5T_order_t order = H5Tget_order(type);
  if (order != H5T_ORDER_LE && order != H5T_ORDER_BE) return std::nullopt;
  for (const FloatLayout& ieee : float_layouts)
    if (H5Tget_size(type) == ieee.bytes && sign_at == ieee.sign_at &&
        exponent_at == ieee.exponent_at && exponent_bits == ieee.exponent_bits &&
        mantissa_at == ieee.mantissa_at && mantissa_bits == ieee.mantissa_bits &&
        H5Tget_ebias(type) == ieee.bias)
      return Hdf5Type{ieee.dtype, order == H5T_ORDER_BE, has_whole_precision(type)};
  return std::nullopt;
}

std::optional<Hdf5Type> read_enum(hid_t type) {
  const Hdf5Id base(H5Tget_super(type), H5Tclose);
  if (!base) return std::nullopt;
  const auto integer = read_integer(base.get());
  if (!integer || H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return integer;
  std::int8_t values[2] = {-1, -1};
  for (unsigned i = 0; i < 2; ++i) {
    const std::string name = member_name(type, i);
    if (name == "FALSE" || name == "TRUE") H5Tget_member_value(type, i, &values[name == "TRUE"]);
  }
  if (values[0] == 0 && values[1] == 1) return Hdf5Type{DType::boolean, false, true};
  return integer;
}

/// The names that writers of complex numbers use: h5py's and NumPy's, MATLAB's, Julia's.
bool are_complex_names(const std::string& re, const std::string& im) {
  return (re == "r" && im == "i") || (re == "real" && im == "imag") || (re == "re" && im == "im");
}

std::optional<Hdf5Type> read_compound(hid_t type) {
  if (H5Tget_nmembers(type) != 2 || !are_complex_names(member_name(type, 0), member_name(type, 1)))
    return std::nullopt;
  const Hdf5Id re(H5Tget_member_type(type, 0), H5Tclose);
  const Hdf5Id im(H5Tget_member_type(type, 1), H5Tclose);
  if (!re || !im || H5Tequal(re.get(), im.get()) <= 0 || H5Tget_class(re.get()) != H5T_FLOAT)
    return std::nullopt;
  const auto part = read_float(re.get());
  if (!part || part->dtype == DType::float16) return std::nullopt;
  const std::size_t bytes = core::dtype_bytes(part->dtype);
  const bool packed = H5Tget_size(type) == 2 * bytes && H5Tget_member_offset(type, 0) == 0 &&
                      H5Tget_member_offset(type, 1) == bytes;
  return Hdf5Type{part->dtype == DType::float32 ? DType::complex64 : DType::complex128,
                  part->big_endian, part->plain && packed};
}

hid_t native_type(DType dtype) {
  switch (dtype) {
    case DType::int8:
      return H5T_NATIVE_INT8;
    case DType::int16:
      return H5T_NATIVE_INT16;
    case DType::int32:
      return H5T_NATIVE_INT32;
    case DType::int64:
      return H5T_NATIVE_INT64;
    case DType::uint8:
      return H5T_NATIVE_UINT8;
    case DType::uint16:
      return H5T_NATIVE_UINT16;
    case DType::uint32:
      return H5T_NATIVE_UINT32;
    case DType::uint64:
      return H5T_NATIVE_UINT64;
    case DType::float32:
    case DType::complex64:
      return H5T_NATIVE_FLOAT;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

Hdf5Id half_type() {
  const FloatLayout& half = float_layouts[0];
  Hdf5Id type(H5Tcopy(H5T_NATIVE_FLOAT), H5Tclose);
  // The fields first: the size may not shrink below them.
  H5Tset_fields(type.get(), half.sign_at, half.exponent_at, half.exponent_bits, half.mantissa_at,
                half.mantissa_bits);
  H5Tset_size(type.get(), half.bytes);
  H5Tset_ebias(type.get(), half.bias);
  return type;
}

Hdf5Id bool_type() {
  Hdf5Id type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  for (std::int8_t value = 0; value < 2; ++value)
    H5Tenum_insert(type.get(), value ? "TRUE" : "FALSE", &value);
  return type;
}

Hdf5Id complex_type(DType dtype, const std::string& re, const std::string& im) {
  const std::size_t part = core::dtype_bytes(dtype) / 2;
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, 2 * part), H5Tclose);
  H5Tinsert(type.get(), re.c_str(), 0, native_type(dtype));
  H5Tinsert(type.get(), im.c_str(), part, native_type(dtype));
  return type;
}

}  // namespace

std::optional<Hdf5Type> read_type(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return read_integer(type);
    case H5T_FLOAT:
      return read_float(type);
    case H5T_ENUM:
      return read_enum(type);
    case H5T_COMPOUND:
      return read_compound(type);
    default:
      return std::nullopt;
  }
}

std::string type_name(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return "an integer of unusual size";
    case H5T_FLOAT:
      return "a float other than IEEE 16, 32 and 64 bits";
    case H5T_STRING:
      return "a string";
    case H5T_COMPOUND:
      return "a compound that is no complex number";
    case H5T_REFERENCE:
      return "a reference";
    case H5T_VLEN:
      return "a list of variable length";
    case H5T_ARRAY:
      return "an array inside each element";
    case H5T_TIME:
      return "a time";
    default:
      return "no number";
  }
}

Hdf5Id memory_type(hid_t stored, DType dtype) {
  if (core::is_complex(dtype))
    return complex_type(dtype, member_name(stored, 0), member_name(stored, 1));
  return file_type(dtype);
}

Hdf5Id file_type(DType dtype) {
  if (dtype == DType::boolean) return bool_type();
  if (dtype == DType::float16) return half_type();
  if (core::is_complex(dtype)) return complex_type(dtype, "r", "i");
  return {H5Tcopy(native_type(dtype)), H5Tclose};
}

}  // namespace tt::io
