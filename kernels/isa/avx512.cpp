#include "kernels/isa/ops_avx512.hpp"
#include "kernels/isa/table.hpp"

namespace tt::kernels {

constinit const KernelTable avx512_table = {
    .name = "avx512",
    .gemm = {},
    .strided = {},
};

}  // namespace tt::kernels
