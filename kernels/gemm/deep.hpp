// Deep thin products: little to write and a long sum. The sum is cut into chunks by its length
// alone; each chunk is a product of its own, and the partial results are added in a fixed tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/team/exec.hpp"
#include "kernels/gemm/blocking.hpp"
#include "kernels/gemm/oriented.hpp"

namespace tt::kernels {

/// Runs `items` products that differ in their base pointers; product_at gives the item's. `scratch`
/// is blocking.scratch_bytes().
template <class T>
void deep_products(const core::Exec& exec, const core::Decision& decision, std::int64_t items,
                   const std::function<OrientedProduct<T>(std::int64_t)>& product_at,
                   const Blocking& blocking, std::byte* scratch);

}  // namespace tt::kernels
