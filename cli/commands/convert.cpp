#include <fmt/format.h>

#include "cli/commands/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/error.hpp"
#include "io/operand.hpp"

namespace tt::cli {
namespace {

void run(const Arguments& arguments) {
  Options options = read_options(arguments);
  if (arguments.operands.size() != 2)
    throw core::Error(core::Category::usage, fmt::format("{} arguments", arguments.operands.size()),
                      "", "two: tt convert IN OUT");
  const auto source = io::open_operand(arguments.operands[0]);
  const core::DType dtype = options.dtype.value_or(source->dtype());
  const std::uint64_t needed = source->load_bytes(dtype);
  const std::uint64_t limit =
      options.memory_limit ? options.memory_limit : core::available_memory_bytes();
  if (needed > limit)
    throw core::Error(core::Category::memory, fmt::format("{} are needed", core::size_text(needed)),
                      fmt::format("the memory limit is {}", core::size_text(limit)),
                      "a selection, or a larger --memory-limit");
  options.output = arguments.operands[1];
  if (options.dry_run) return;
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
    "IN is a file, a member, a dataset, -, or @... made on the spot, with or without a selection; "
    "OUT\n"
    "is a target as for -o. The element type stays, unless --dtype says otherwise.\n"
    "\n"
    "examples:\n"
    "  tt convert a.npy b.h5:/group/x --compress 4 --chunks 100,100\n"
    "  tt convert a.h5:/x[0:10,:] first.npy\n"
    "  tt convert @spd:100x100,seed=3 spd.npy\n",
    {},
    run};

}  // namespace tt::cli
