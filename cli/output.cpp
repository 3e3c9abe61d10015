#include "cli/output.hpp"

#include <unistd.h>

#include "io/operand.hpp"

namespace tt::cli {

Output::Output(const Options& options, std::vector<io::ResultInfo> results) : options_(options) {
  const bool scalar = results.size() == 1 && results[0].shape.empty();
  const bool text = options.print || (!options.output && (scalar || isatty(STDOUT_FILENO) == 1));
  if (text) return;
  sink_ = io::open_target(options.output.value_or("-"), options.sink);
  sink_->declare(std::move(results));
}

void Output::write(const std::string& name, const core::ArrayRef& array) {
  if (sink_) return sink_->write(name, array);
  print_text((array.shape.empty() && !options_.print ? render_scalar(array)
                                                     : render_array(array, options_.render)) +
             "\n");
}

void Output::commit() {
  if (sink_) sink_->commit();
}

}  // namespace tt::cli
