#include "kernels/gemm/scratch.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace tt::kernels {
namespace {

std::mutex pool_mutex;
std::vector<core::Buffer> pool;  // guarded by pool_mutex

/// The smallest free block that is large enough, or an empty one. Then the others are freed first:
/// a larger block must not come on top of those that it replaces.
core::Buffer take_from_pool(std::size_t bytes) {
  const std::lock_guard lock(pool_mutex);
  auto best = pool.end();
  for (auto it = pool.begin(); it != pool.end(); ++it)
    if (it->bytes() >= bytes && (best == pool.end() || it->bytes() < best->bytes())) best = it;
  if (best == pool.end()) {
    pool.clear();
    return {};
  }
  core::Buffer taken = std::move(*best);
  pool.erase(best);
  return taken;
}

}  // namespace

Scratch::Scratch(std::size_t bytes) {
  if (bytes == 0) return;
  buffer_ = take_from_pool(bytes);
  if (!buffer_.data()) buffer_ = core::Buffer(bytes, "the pack buffers of a product");
}

Scratch::~Scratch() {
  if (!buffer_.data()) return;
  const std::lock_guard lock(pool_mutex);
  pool.push_back(std::move(buffer_));
}

void prepare_scratch(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  const Scratch scratch(bytes);
  for (std::size_t offset = 0; offset < bytes; offset += page)
    *static_cast<volatile std::byte*>(scratch.data() + offset) = std::byte{0};
}

void release_scratch() {
  const std::lock_guard lock(pool_mutex);
  pool.clear();
}

}  // namespace tt::kernels
