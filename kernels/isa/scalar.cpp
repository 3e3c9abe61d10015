#include "kernels/isa/ops_scalar.hpp"
#include "kernels/isa/table.hpp"

namespace tt::kernels {

constinit const KernelTable scalar_table = {
    .name = "scalar",
    .gemm = {},
    .strided = {},
};

}  // namespace tt::kernels
