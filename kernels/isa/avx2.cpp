#include "kernels/gemm/micro/set.hpp"
#include "kernels/isa/ops_avx2.hpp"
#include "kernels/isa/table.hpp"
#include "kernels/strided/micro/set.hpp"

namespace tt::kernels {

constinit const KernelTable avx2_table = {
    .name = "avx2",
    .gemm = gemm_kernels<Avx2>(),
    .strided = strided_kernels<Avx2>(),
};

}  // namespace tt::kernels
