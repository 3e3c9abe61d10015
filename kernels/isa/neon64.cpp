#include "kernels/isa/ops_neon64.hpp"
#include "kernels/isa/table.hpp"

namespace tt::kernels {

constinit const KernelTable neon64_table = {
    .name = "neon",
    .gemm = {},
    .strided = {},
};

}  // namespace tt::kernels
