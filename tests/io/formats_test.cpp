// The table test: every format stores every dtype, rank and empty extent and gives the same bits
// back, and no truncation of a file is taken for a whole one.
#include "io/formats.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/operand.hpp"
#include "tests/support/temp_dir.hpp"

using namespace tt;
using namespace tt::io;
using tt::test::read_file;
using tt::test::TempDir;
using tt::test::write_file;

namespace {

/// Elements whose bytes are legal for every dtype and differ from one to the next.
std::vector<std::byte> pattern(core::DType dtype, const core::Shape& shape) {
  const auto count = static_cast<std::size_t>(core::element_count(shape));
  std::vector<std::byte> bytes(count * core::dtype_bytes(dtype));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(dtype == core::DType::boolean ? i % 2 : i * 37 % 100);
  return bytes;
}

void store(const std::string& target, core::DType dtype, const core::Shape& shape,
           const std::vector<std::byte>& bytes) {
  const auto sink = open_target(target, {});
  sink->declare({{"C", dtype, shape}});
  sink->write("C", {bytes.data(), dtype, shape, core::c_strides(shape)});
  sink->commit();
}

/// Loads the operand in its own dtype and returns its elements in C order.
std::vector<std::byte> load(const std::string& operand, core::DType dtype,
                            const core::Shape& shape) {
  const auto source = open_operand(operand);
  CHECK(source->dtype() == dtype);
  CHECK(source->shape() == shape);
  const core::Tensor tensor = source->load(dtype);
  CHECK(core::is_c_contiguous(tensor.ref.shape, tensor.ref.strides));
  const auto count = static_cast<std::size_t>(core::element_count(shape));
  std::vector<std::byte> bytes(count * core::dtype_bytes(dtype));
  if (!bytes.empty()) std::memcpy(bytes.data(), tensor.ref.data, bytes.size());
  return bytes;
}

/// As load, but none when the file is refused as bad data.
std::optional<std::vector<std::byte>> load_or_none(const std::string& operand, core::DType dtype,
                                                   const core::Shape& shape) {
  try {
    return load(operand, dtype, shape);
  } catch (const core::Error& error) {
    CHECK(error.category() == core::Category::data);
    return std::nullopt;
  }
}

/// "c.npy" for the format with the extension .npy.
std::string target_of(const TempDir& dir, const Format& format) {
  return dir.file(std::string("c").append(format.extensions[0]));
}

}  // namespace

TEST_CASE("what a format writes it reads again, bit for bit") {
  const core::Shape shapes[] = {{},     {1},       {7},       {0},         {3, 4},
                                {0, 3}, {2, 0, 3}, {2, 3, 4}, {2, 1, 3, 2}};
  for (const Format* format : formats()) {
    for (const core::DType dtype : core::all_dtypes()) {
      for (const core::Shape& shape : shapes) {
        CAPTURE(format->name);
        CAPTURE(core::dtype_name(dtype));
        CAPTURE(core::shape_text(shape));
        const TempDir dir;
        const std::string target = target_of(dir, *format);
        const auto bytes = pattern(dtype, shape);
        store(target, dtype, shape, bytes);
        CHECK(dir.entries() == 1);
        CHECK(load(target, dtype, shape) == bytes);
        CHECK(find_format_by_magic(target) == format);
        const FileInfo info = inspect(target);
        CHECK(info.format == format->name);
        REQUIRE(info.members.size() == 1);
        CHECK(info.members[0].dtype == dtype);
        CHECK(info.members[0].shape == shape);
      }
    }
  }
}

TEST_CASE("any strides are written in C order") {
  const TempDir dir;
  const double numbers[] = {0, 1, 2, 3, 4, 5};
  for (const Format* format : formats()) {
    CAPTURE(format->name);
    const std::string target = target_of(dir, *format);
    const auto sink = open_target(target, {});
    sink->declare({{"C", core::DType::float64, {3, 2}}});
    // [[3, 0], [4, 1], [5, 2]]: transposed, and the last axis backwards
    sink->write("C", {numbers + 3, core::DType::float64, {3, 2}, {1, -3}});
    sink->commit();
    const core::Tensor back = open_operand(target)->load(core::DType::float64);
    const auto* data = static_cast<const double*>(back.ref.data);
    CHECK(std::vector<double>(data, data + 6) == std::vector<double>{3, 0, 4, 1, 5, 2});
  }
}

TEST_CASE("the same results give the same bytes") {
  const auto bytes = pattern(core::DType::float64, {5, 6});
  for (const Format* format : formats()) {
    CAPTURE(format->name);
    const TempDir dir;
    const std::string target = target_of(dir, *format);
    store(target, core::DType::float64, {5, 6}, bytes);
    const std::string first = read_file(target);
    std::remove(target.c_str());
    store(target, core::DType::float64, {5, 6}, bytes);
    CHECK(read_file(target) == first);
  }
}

TEST_CASE("every truncation is refused as bad data") {
  const auto bytes = pattern(core::DType::float64, {5, 6});
  for (const Format* format : formats()) {
    CAPTURE(format->name);
    const TempDir dir;
    const std::string target = target_of(dir, *format);
    store(target, core::DType::float64, {5, 6}, bytes);
    const std::string whole = read_file(target);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length);
      write_file(target, std::string_view(whole).substr(0, length));
      const auto back = load_or_none(target, core::DType::float64, {5, 6});
      // HDF5 keeps nothing behind the array that reading it needs: what is read must be right then.
      if (format->name != "hdf5") CHECK(!back);
      if (back) CHECK(*back == bytes);
    }
  }
}

TEST_CASE("a sink that is dropped leaves nothing behind and the old file whole") {
  for (const Format* format : formats()) {
    CAPTURE(format->name);
    const TempDir dir;
    const std::string target = target_of(dir, *format);
    const auto bytes = pattern(core::DType::float64, {5, 6});
    store(target, core::DType::float64, {5, 6}, bytes);
    const std::string old = read_file(target);
    {
      const auto sink = open_target(target, {});
      sink->declare({{"C", core::DType::float64, {2}}});
      sink->write("C", {bytes.data(), core::DType::float64, {2}, {1}});
    }
    CHECK(read_file(target) == old);
    CHECK(dir.entries() == 1);
  }
}
