#include "io/hdf5_info.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "io/convert.hpp"
#include "io/hdf5_base.hpp"
#include "io/hdf5_dataset.hpp"

namespace tt::io {
namespace {

using core::DType;

/// Attributes of more elements show the first ones.
constexpr std::size_t elements_shown = 64;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string joined(const std::vector<std::string>& items, bool is_scalar) {
  return is_scalar ? items.at(0) : fmt::format("[{}]", fmt::join(items, ", "));
}

std::string number_text(double x) {
  return std::isfinite(x) ? fmt::format("{}", x) : "null";
}

/// The elements of an attribute as JSON; numbers go through int64 or complex128.
std::optional<std::string> numbers_text(hid_t attribute, hid_t stored, DType dtype,
                                        std::size_t count, bool is_scalar) {
  const Hdf5Id type = memory_type(stored, dtype);
  std::vector<std::byte> raw(count * core::dtype_bytes(dtype));
  if (H5Aread(attribute, type.get(), raw.data()) < 0) return std::nullopt;
  std::vector<std::string> items;
  for (std::size_t i = 0; i < std::min(count, elements_shown); ++i) {
    const StoredRef from{raw.data() + i * core::dtype_bytes(dtype), dtype, false, {}, {}};
    if (dtype == DType::uint64) {
      std::uint64_t value = 0;
      std::memcpy(&value, from.data, sizeof value);
      items.push_back(fmt::format("{}", value));
    } else if (core::is_integer(dtype)) {
      std::int64_t value = 0;
      convert(from, {&value, DType::int64, {}, {}}, "");
      items.push_back(dtype == DType::boolean ? (value ? "true" : "false")
                                              : fmt::format("{}", value));
    } else {
      std::array<double, 2> value{};
      convert(from, {value.data(), DType::complex128, {}, {}}, "");
      items.push_back(core::is_complex(dtype)
                          ? fmt::format("[{}, {}]", number_text(value[0]), number_text(value[1]))
                          : number_text(value[0]));
    }
  }
  return joined(items, is_scalar);
}

std::optional<std::string> strings_text(hid_t attribute, hid_t stored, hid_t space,
                                        std::size_t count, bool is_scalar) {
  std::vector<std::string> items;
  if (H5Tis_variable_str(stored) > 0) {
    std::vector<char*> texts(count, nullptr);
    if (H5Aread(attribute, stored, texts.data()) < 0) return std::nullopt;
    for (const char* text : texts) items.push_back(quoted(text ? text : ""));
    H5Dvlen_reclaim(stored, space, H5P_DEFAULT, texts.data());
  } else {
    const std::size_t bytes = H5Tget_size(stored);
    std::vector<char> texts(count * bytes);
    if (H5Aread(attribute, stored, texts.data()) < 0) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i)
      items.push_back(quoted({&texts[i * bytes], strnlen(&texts[i * bytes], bytes)}));
  }
  items.resize(std::min(items.size(), elements_shown));
  return joined(items, is_scalar);
}

std::optional<std::string> attribute_text(hid_t attribute) {
  constexpr hsize_t bytes_max = 1 << 20;
  const Hdf5Id stored(H5Aget_type(attribute), H5Tclose);
  const Hdf5Id space(H5Aget_space(attribute), H5Sclose);
  if (!stored || !space || H5Aget_storage_size(attribute) > bytes_max) return std::nullopt;
  const hssize_t points = H5Sget_simple_extent_npoints(space.get());
  const H5S_class_t space_class = H5Sget_simple_extent_type(space.get());
  if (space_class == H5S_NULL || points < 0 || points > static_cast<hssize_t>(bytes_max))
    return std::nullopt;
  const auto count = static_cast<std::size_t>(points);
  const bool is_scalar = space_class == H5S_SCALAR;
  if (H5Tget_class(stored.get()) == H5T_STRING)
    return strings_text(attribute, stored.get(), space.get(), count, is_scalar);
  const auto type = read_type(stored.get());
  if (!type) return std::nullopt;
  return numbers_text(attribute, stored.get(), type->dtype, count, is_scalar);
}

std::vector<std::pair<std::string, std::string>> read_attributes(hid_t dataset) {
  std::vector<std::pair<std::string, std::string>> attributes;
  const H5A_operator2_t visit = [](hid_t object, const char* name, const H5A_info_t*,
                                   void* out) -> herr_t {
    const Hdf5Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    if (!attribute) return 0;
    if (auto text = attribute_text(attribute.get()))
      static_cast<decltype(attributes)*>(out)->emplace_back(name, std::move(*text));
    return 0;
  };
  hsize_t start = 0;
  H5Aiterate2(dataset, H5_INDEX_NAME, H5_ITER_INC, &start, visit, &attributes);
  H5Eclear2(H5E_DEFAULT);
  return attributes;
}

}  // namespace

FileInfo inspect_hdf5(const std::string& file) {
  const Hdf5Guard guard(file);
  const Hdf5Id opened = open_hdf5(file, file);
  FileInfo info{file, "hdf5", {}};
  for (const std::string& path : list_datasets(opened.get(), file)) {
    Hdf5Dataset dataset = open_dataset(opened.get(), path, file);
    dataset.info.attributes = read_attributes(dataset.id.get());
    info.members.push_back(std::move(dataset.info));
  }
  return info;
}

}  // namespace tt::io
