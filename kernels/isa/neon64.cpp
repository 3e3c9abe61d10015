#include "kernels/gemm/micro/set.hpp"
#include "kernels/isa/ops_neon64.hpp"
#include "kernels/isa/table.hpp"

namespace tt::kernels {

constinit const KernelTable neon64_table = {
    .name = "neon",
    .gemm = gemm_kernels<Neon64>(),
};

}  // namespace tt::kernels
