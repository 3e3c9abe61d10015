// Runs a plan: every step asks its gate, then goes to gemm, matvec, outer, elementwise or reduce.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/team/exec.hpp"
#include "core/tensor/array.hpp"

namespace tt::kernels {

struct KernelTable;

struct ContractOptions {
  const KernelTable* isa = nullptr;
  std::vector<bool> conjugate;  // by operand; empty: none
  std::complex<double> alpha = {1, 0};
  std::complex<double> beta = {0, 0};  // 0: the result's old value is not read
  /// The sites that steps are gated and recorded under: "contract.step" for einsum; matmul has
  /// "gemm.product" and "matvec".
  const char* site = "contract.step";
  const char* matvec_site = "contract.step";
};

/// result = alpha * contraction + beta * result. Operands are of plan.dtype with data (or null in a
/// dry run); the result is C-ordered of plan.dtype and the problem's output shape. An operand is
/// released (its owner dropped) after the last step that reads it. Throws Error(numerical) when an
/// int64 result or intermediate does not fit ("overflow"), naming the step.
void run_plan(const core::Exec& exec, const core::Plan& plan, std::vector<core::Tensor> operands,
              core::MutableArrayRef result, const ContractOptions& options);

/// Scratch bytes a step takes (pack buffers of `members` members), for PlanOptions::scratch_bytes.
std::uint64_t contract_scratch_bytes(const core::Step& step, core::DType dtype,
                                     const KernelTable& isa, int members);

}  // namespace tt::kernels
