// The entry points of the register tile and of packing, one set per instruction set. Plain pointers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tt::kernels {

struct GemmKernels {};

}  // namespace tt::kernels
