#include <fmt/format.h>

#include "cli/commands/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/error.hpp"
#include "io/operand.hpp"

namespace tt::cli {
namespace {

void run(const Arguments& arguments) {
  Options options = read_options(arguments, DTypeChoice::any);
  require_operands(arguments, 2, convert_command);
  if (options.output)
    throw core::Error(core::Category::usage, "two targets",
                      fmt::format("{} and -o {}", arguments.operands[1], *options.output),
                      "tt convert IN OUT, without -o");
  options.output = arguments.operands[1];
  const auto source = io::open_operand(arguments.operands[0]);
  const core::DType dtype = options.dtype.value_or(source->dtype());
  const std::uint64_t needed = source->load_bytes(dtype);
  const bool limited = options.memory_limit != 0;
  const std::uint64_t limit = limited ? options.memory_limit : core::available_memory_bytes();
  if (needed > limit && (limited || !options.dry_run))
    throw core::Error(core::Category::memory, fmt::format("{} are needed", core::size_text(needed)),
                      fmt::format("the memory limit is {}", core::size_text(limit)),
                      "a selection, or a larger --memory-limit");
  if (options.dry_run)
    return print_text(fmt::format("convert: {} {}, peak memory {}\n", core::dtype_name(dtype),
                                  core::shape_text(source->shape()), core::size_text(needed)));
  core::set_allocation_limit(limit);
  Output output(options, {{"C", dtype, source->shape()}});
  const core::Tensor tensor = source->load(dtype);
  output.write("C", tensor.ref);
  output.commit();
}

}  // namespace

const Command convert_command = {
    "convert",
    "any form of operand to any form of result",
    "IN OUT [OPTIONS]",
    R"(IN is a file, a member, a dataset, -, or @... made on the spot, with or without a selection;
OUT is a target as for -o. The element type stays, unless --dtype names another: bool, int8
to int64, uint8 to uint64, float16 to float64, complex64, complex128.

examples:
  tt convert a.npy b.h5:/group/x --compress 4 --chunks 100,100
  tt convert a.h5:/x[0:10,:] first.npy
  tt convert @spd:100x100,seed=3 spd.npy
)",
    {},
    Shares::results_and_planning,
    run};

}  // namespace tt::cli
