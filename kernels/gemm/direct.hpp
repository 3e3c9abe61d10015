// Products whose operands are not worth packing: small ones, which stay in the caches as they lie,
// and thin ones, which use every element of an operand in one tile only. The register tile reads
// them in place; X is packed panel by panel only where its rows are not neighbours (or are
// complex). The bits are those of the blocked product.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gemm/oriented.hpp"

namespace tt::kernels {

/// Whether the direct path can run this product: small or thin, one stride an index, no integers.
template <class T>
bool can_run_direct(const OrientedProduct<T>& product);

/// The product over the depths [k_first, k_end); scratch holds one panel of X (mr * kc elements).
template <class T>
void direct_product(const OrientedProduct<T>& product, std::int64_t k_first, std::int64_t k_end,
                    std::byte* scratch);

/// How one product is cut for several members: into parts along the side that has more tiles.
struct DirectCut {
  bool along_x = true;
  std::int64_t parts = 1, step = 1;  // the last part may be shorter
};
template <class T>
DirectCut cut_direct(const OrientedProduct<T>& product, int width);

/// Part `part` of the product. Each index has one axis at most.
template <class T>
OrientedProduct<T> part_of(const OrientedProduct<T>& product, const DirectCut& cut,
                           std::int64_t part);

}  // namespace tt::kernels
