// What a test of io/ compares: the elements of an operand, and how an operand is refused.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/tensor/memory.hpp"
#include "io/convert.hpp"
#include "io/operand.hpp"

namespace tt::test {

/// dtype, shape and the elements in C order.
struct Loaded {
  core::DType dtype;
  core::Shape shape;
  std::vector<std::byte> bytes;

  bool operator==(const Loaded&) const = default;
};

/// Loads a source as `as`, and checks that the source says exactly what it allocates.
inline Loaded load_from(const std::unique_ptr<io::Source>& source, const std::string& operand,
                        core::DType as) {
  CHECK(source->name() == operand);
  const std::uint64_t before = core::allocated_bytes();
  const core::Tensor tensor = source->load(as);
  // What is only held while loading cannot be seen here.
  CHECK(core::allocated_bytes() - before <= source->load_bytes(as));
  CHECK(tensor.ref.dtype == as);
  CHECK(tensor.ref.shape == source->shape());
  Loaded loaded{as, tensor.ref.shape, {}};
  loaded.bytes.resize(static_cast<std::size_t>(core::element_count(loaded.shape)) *
                      core::dtype_bytes(as));
  io::convert({static_cast<const std::byte*>(tensor.ref.data), as, false, tensor.ref.shape,
               tensor.ref.strides},
              {loaded.bytes.data(), as, loaded.shape, core::c_strides(loaded.shape)}, operand);
  return loaded;
}

inline Loaded load_as(const std::string& operand, core::DType as) {
  return load_from(io::open_operand(operand), operand, as);
}

/// In its own dtype.
inline Loaded load(const std::string& operand) {
  const auto source = io::open_operand(operand);
  return load_from(source, operand, source->dtype());
}

/// Opens and loads; the operand must be refused with that category, in words that name these.
inline void check_refused(const std::string& operand, core::Category category,
                          const std::vector<std::string>& words = {}) {
  CAPTURE(operand);
  try {
    const auto source = io::open_operand(operand);
    source->load(source->dtype());
    FAIL("accepted");
  } catch (const core::Error& error) {
    CHECK(error.category() == category);
    const std::string message = error.what();
    for (const std::string& word : words) {
      CAPTURE(word);
      CAPTURE(message);
      CHECK(message.find(word) != std::string::npos);
    }
  }
}

}  // namespace tt::test
