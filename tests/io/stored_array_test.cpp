#include "io/stored_array.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "io/convert.hpp"

using namespace tt;
using namespace tt::io;
using core::DType;

namespace {

/// Reads from memory.
class MemoryReader final : public ByteReader {
 public:
  explicit MemoryReader(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  void read(std::byte* to, std::size_t count) override {
    REQUIRE(at_ + count <= bytes_.size());
    std::memcpy(to, bytes_.data() + at_, count);
    at_ += count;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

std::vector<std::int64_t> counted(std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::int64_t>(i);
  return numbers;
}

/// All that for_each_block gives, and the largest piece.
std::vector<std::int64_t> blocks_of(const core::ArrayRef& array, std::size_t& largest) {
  std::vector<std::int64_t> all;
  largest = 0;
  for_each_block(array, [&](const void* data, std::size_t bytes) {
    const std::size_t old = all.size();
    all.resize(old + bytes / 8);
    std::memcpy(all.data() + old, data, bytes);
    largest = std::max(largest, bytes);
  });
  return all;
}

}  // namespace

TEST_CASE("elements that arrive one behind the other are converted piece by piece") {
  // More elements than one piece, big-endian int16 in Fortran order.
  constexpr std::int64_t m = 300, n = 200;
  std::vector<std::byte> bytes;
  for (std::int64_t i = 0; i < m * n; ++i) {
    bytes.push_back(static_cast<std::byte>(i % 30000 >> 8));
    bytes.push_back(static_cast<std::byte>(i % 30000 & 255));
  }
  ArrayInfo info;
  info.dtype = DType::int16;
  info.shape = {m, n};
  info.fortran_order = info.big_endian = true;
  for (const DType as : {DType::int16, DType::float64}) {
    CAPTURE(core::dtype_name(as));
    MemoryReader reader(bytes);
    const core::Tensor tensor = read_elements(reader, info, as, "a.npy");
    CHECK(tensor.ref.strides == core::Strides{1, m});
    for (std::int64_t i = 0; i < m * n; ++i) {
      const double value = as == DType::int16 ? static_cast<const std::int16_t*>(tensor.ref.data)[i]
                                              : static_cast<const double*>(tensor.ref.data)[i];
      if (value != static_cast<double>(i % 30000)) FAIL("element ", i, " is ", value);
    }
  }
}

TEST_CASE("arrays of any strides leave in C order, in bounded blocks") {
  const std::vector<std::int64_t> numbers = counted(3 * 1000 * 1000);
  std::size_t largest = 0;
  const core::ArrayRef plain{numbers.data(), DType::int64, {3, 1000, 1000}, {1000000, 1000, 1}};
  CHECK(blocks_of(plain, largest) == numbers);
  CHECK(largest == numbers.size() * 8);

  // The axes reversed, and a first axis whose rows of 8 MB are cut further.
  for (const core::Strides& strides :
       {core::Strides{1, 1000, 1000000}, core::Strides{1000000, 1, 1000}}) {
    CAPTURE(strides[0]);
    core::Shape shape(3);
    for (std::size_t i = 0; i < 3; ++i) shape[i] = strides[i] == 1000000 ? 3 : 1000;
    const auto all = blocks_of({numbers.data(), DType::int64, shape, strides}, largest);
    CHECK(largest <= std::size_t{4} << 20);
    REQUIRE(all.size() == numbers.size());
    std::size_t at = 0;
    bool equal = true;
    for (std::int64_t i = 0; i < shape[0]; ++i)
      for (std::int64_t j = 0; j < shape[1]; ++j)
        for (std::int64_t k = 0; k < shape[2]; ++k)
          equal = equal && all[at++] == i * strides[0] + j * strides[1] + k * strides[2];
    CHECK(equal);
  }
}

TEST_CASE("a region that is not aligned is copied, and its check runs once before the first load") {
  std::vector<std::byte> odd(8 * 6 + 1);
  const auto numbers = counted(6);
  std::memcpy(odd.data() + 1, numbers.data(), 48);
  ArrayInfo info;
  info.dtype = DType::int64;
  info.shape = {6};
  int checks = 0;
  const auto source =
      make_region_source({nullptr, odd.data() + 1, 48}, info, "[::2]", "a.npy", [&] { ++checks; });
  CHECK(source->load_bytes(DType::int64) == 24);
  CHECK(checks == 0);
  for (int i = 0; i < 2; ++i) {
    const core::Tensor tensor = source->load(DType::int64);
    CHECK(static_cast<const std::int64_t*>(tensor.ref.data)[1] == 2);
  }
  CHECK(checks == 1);
}
