// int64 products that must be exact: a bound that proves that nothing can overflow (then the vector
// tiles may run, which wrap), and the product in wide sums for the rest.
#pragma once

#include "core/team/exec.hpp"
#include "kernels/gemm/gemm.hpp"

namespace tt::kernels {

/// Whether |alpha| max|A| max|B| depth + |beta| max|C| is below 2^63: no result and no partial sum
/// can overflow. Reads every element once.
bool cannot_overflow(const Product<std::int64_t>& product);

/// The exact product by plain loops: sums of 128 bits and a count of their carries. False when an
/// element of the result does not fit; what the partial sums do does not matter.
bool exact_product(const core::Exec& exec, const core::Decision& decision,
                   const Product<std::int64_t>& product);

}  // namespace tt::kernels
