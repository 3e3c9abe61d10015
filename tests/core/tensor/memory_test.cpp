#include "core/tensor/memory.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

#include "core/error.hpp"
#include "core/tensor/array.hpp"

using namespace tt::core;

TEST_CASE("buffers are aligned, counted and given back") {
  const std::uint64_t before = allocated_bytes();
  {
    Buffer small(100);
    Buffer large((std::size_t{5} << 20) + 12345);
    CHECK(reinterpret_cast<std::uintptr_t>(small.data()) % 64 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % Buffer::huge_page_bytes == 0);
    CHECK(allocated_bytes() == before + 100 + large.bytes());
    CHECK(peak_allocated_bytes() >= allocated_bytes());
    std::memset(large.data(), 7, large.bytes());
    Buffer moved = std::move(large);
    CHECK(moved.data()[moved.bytes() - 1] == std::byte{7});
    CHECK(large.data() == nullptr);
  }
  CHECK(allocated_bytes() == before);
}

TEST_CASE("the limit refuses and names the sizes") {
  set_allocation_limit(allocated_bytes() + 1000);
  CHECK_THROWS_WITH_AS(Buffer(2000, "the result"), doctest::Contains("the result does not fit"),
                       Error);
  CHECK_NOTHROW(Buffer(1000));
  set_allocation_limit(0);
}

TEST_CASE("a shape whose bytes overflow is refused, not wrapped") {
  CHECK_THROWS_AS(Array(DType::float64, Shape{std::int64_t{1} << 61}), Error);
  CHECK_THROWS_AS(Array(DType::float64, Shape{std::int64_t{1} << 40, std::int64_t{1} << 40}),
                  Error);
  CHECK(Array(DType::float64, Shape{0, 3}).bytes() == 0);
}

TEST_CASE("sizes print in powers of 1024") {
  CHECK(size_text(812) == "812 bytes");
  CHECK(size_text(14 << 20) == "14 MiB");
  CHECK(size_text(std::uint64_t{3} << 29) == "1.5 GiB");
}
