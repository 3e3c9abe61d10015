#include "cli/output.hpp"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/operand.hpp"

namespace tt::cli {
namespace {

void check_only(const std::vector<std::string>& only, const std::vector<io::ResultInfo>& results) {
  std::vector<std::string> known;
  for (const io::ResultInfo& result : results) known.push_back(result.name);
  for (const std::string& name : only)
    if (std::ranges::find(known, name) == known.end())
      throw core::Error(core::Category::usage, fmt::format("'{}' is no result", name), "--only",
                        fmt::format("known are {}", fmt::join(known, ", ")));
}

}  // namespace

Output::Output(const Options& options, std::vector<io::ResultInfo> results) : options_(options) {
  check_only(options.only, results);
  std::erase_if(results, [&](const io::ResultInfo& result) { return !wanted(result.name); });
  const bool scalar = results.size() == 1 && results[0].shape.empty();
  text_ = options.print || (!options.output && (scalar || isatty(STDOUT_FILENO) == 1));
  // --print takes standard output; a file that -o names is written besides.
  if (text_ && (!options.output || *options.output == "-")) return;
  sink_ = io::open_target(options.output.value_or("-"), options.sink);
  sink_->declare(std::move(results));
}

void Output::write(const std::string& name, const core::ArrayRef& array) {
  if (!wanted(name)) return;
  if (sink_) sink_->write(name, array);
  if (!text_) return;
  const bool bare = array.shape.empty() && !options_.print;
  print_text((bare ? render_scalar(array) : render_array(array, options_.render)) + "\n");
}

void Output::commit() {
  if (sink_) sink_->commit();
}

bool Output::wanted(const std::string& name) const {
  return options_.only.empty() || std::ranges::find(options_.only, name) != options_.only.end();
}

}  // namespace tt::cli
