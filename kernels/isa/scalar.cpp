#include "kernels/gemm/micro/set.hpp"
#include "kernels/isa/ops_scalar.hpp"
#include "kernels/isa/table.hpp"
#include "kernels/strided/micro/set.hpp"

namespace tt::kernels {

constinit const KernelTable scalar_table = {
    .name = "scalar",
    .gemm = gemm_kernels<Scalar>(),
    .strided = strided_kernels<Scalar>(),
};

}  // namespace tt::kernels
