// Small products: both operands stay in the caches as they lie, so the register tile reads them in
// place; X is packed panel by panel only where its rows are not neighbours (or are complex). The
// bits are those of the blocked product.
#pragma once

#include <cstddef>

#include "kernels/gemm/oriented.hpp"

namespace tt::kernels {

/// Whether the small path can run this product: little work (by its sizes alone), one stride an
/// index.
template <class T>
bool is_small(const OrientedProduct<T>& product);

/// Runs it; scratch holds one panel of X (mr * depth elements).
template <class T>
void small_product(const OrientedProduct<T>& product, std::byte* scratch);

}  // namespace tt::kernels
