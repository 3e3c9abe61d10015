#include <fmt/format.h>

#include <array>

#include "cli/commands/command.hpp"
#include "cli/contraction.hpp"
#include "core/error.hpp"

namespace tt::cli {
namespace {

constexpr std::array<OptionRow, 1> rows = {{
    {"--explain", "", "print the plan: class, flops, memory, width"},
}};

void run(const Arguments& arguments) {
  Options options = read_options(arguments);
  require_operands(arguments, 2, matmul_command);
  ContractionJob job;
  job.command = "matmul";
  job.operands = arguments.operands;
  job.bind = [](const std::vector<core::OperandShape>& shapes) {
    return core::bind_matmul(shapes[0], shapes[1]);
  };
  job.explain = arguments.flag("--explain");
  job.site = "gemm.product";
  job.matvec_site = "matvec";
  run_contraction(std::move(options), job);
}

}  // namespace

const Command matmul_command = {
    "matmul",
    "matrix product, batched and broadcast as NumPy's",
    "A B [OPTIONS]",
    R"(The last two axes are matrices, the axes before them a batch that broadcasts; a vector is a
row on the left and a column on the right. Integers are exact. The one result is called C.

examples:
  tt matmul a.npy b.npy -o c.npy
  tt matmul stack.h5:/a @100x20 | tt einsum "bij->ij" -
  tt matmul @2000x2000 @2000x2000 --stats -o c.npy
)",
    rows,
    Shares::results_and_planning,
    run};

}  // namespace tt::cli
