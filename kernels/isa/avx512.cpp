#include "kernels/gemm/micro/set.hpp"
#include "kernels/isa/ops_avx512.hpp"
#include "kernels/isa/table.hpp"
#include "kernels/strided/micro/set.hpp"

namespace tt::kernels {

constinit const KernelTable avx512_table = {
    .name = "avx512",
    .gemm = gemm_kernels<Avx512>(),
    .strided = strided_kernels<Avx512>(),
};

}  // namespace tt::kernels
