// One product by all members in one section: packing and computing of all stages as one list of
// tasks in which every task depends on lower numbers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/team/exec.hpp"
#include "kernels/gemm/blocking.hpp"
#include "kernels/gemm/oriented.hpp"

namespace tt::kernels {

/// Runs `items` products that differ in their base pointers; product_at gives the item's.
/// `scratch` is blocking.scratch_bytes().
template <class T>
void staged_products(const core::Exec& exec, const core::Decision& decision, std::int64_t items,
                     const std::function<OrientedProduct<T>(std::int64_t)>& product_at,
                     const Blocking& blocking, std::byte* scratch);

}  // namespace tt::kernels
