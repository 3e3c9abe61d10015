// The entry points of the streaming kernels (sum, dot, axpy, copy, elementwise product), one set per
// instruction set. Plain pointers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tt::kernels {

struct StridedKernels {};

}  // namespace tt::kernels
