// The way of einsum and matmul from open operands to written results: one path, of which matmul
// only differs in how operands are bound and what its gates are called.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "core/plan/path.hpp"
#include "core/plan/problem.hpp"

namespace tt::cli {

struct ContractionJob {
  const char* command = "";  // a literal
  std::vector<std::string> operands;
  std::function<core::Problem(const std::vector<core::OperandShape>&)> bind;
  /// The order: empty text is the search of `optimize` and `minimize`.
  std::string path_text;
  bool ssa = false;
  core::Optimize optimize = core::Optimize::automatic;
  core::Minimize minimize = core::Minimize::time;
  double search_seconds = 0;
  std::vector<bool> conjugate;
  std::complex<double> alpha = {1, 0}, beta = {0, 0};
  std::string into;                       // the operand C of beta, or empty
  std::optional<core::DType> accumulate;  // a wider type to sum in
  bool explain = false;
  const char* site = "contract.step";
  const char* matvec_site = "contract.step";
};

/// Plans, explains, runs, writes and reports, as the options ask. Throws Error of every category.
void run_contraction(Options options, const ContractionJob& job);

}  // namespace tt::cli
