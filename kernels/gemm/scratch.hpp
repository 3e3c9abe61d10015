// Scratch memory of products: taken before a section starts, given back after it, kept by the
// process for the next product, since fresh pages cost more than a small product.
#pragma once

#include <cstddef>

#include "core/tensor/memory.hpp"

namespace tt::kernels {

/// A block of at least `bytes` for the life of the object, aligned to 64; contents unspecified. Any
/// number of threads may hold one each. Throws core::Error(memory).
class Scratch {
 public:
  explicit Scratch(std::size_t bytes);
  ~Scratch();
  Scratch(const Scratch&) = delete;

  std::byte* data() const { return buffer_.data(); }

 private:
  core::Buffer buffer_;
};

/// Makes sure that a product which needs up to `bytes` finds them, every page touched: for a
/// command that times its arithmetic alone. Throws core::Error(memory).
void prepare_scratch(std::size_t bytes);

/// Frees what no product holds: before an allocation that should not pay for it.
void release_scratch();

}  // namespace tt::kernels
