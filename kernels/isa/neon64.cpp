#include "kernels/gemm/micro/set.hpp"
#include "kernels/isa/ops_neon64.hpp"
#include "kernels/isa/table.hpp"
#include "kernels/strided/micro/set.hpp"

namespace tt::kernels {

constinit const KernelTable neon64_table = {
    .name = "neon",
    .gemm = gemm_kernels<Neon64>(),
    .strided = strided_kernels<Neon64>(),
};

}  // namespace tt::kernels
