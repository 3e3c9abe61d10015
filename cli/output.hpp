// Where results go: a target, standard output as NPY or NPZ, or text (cli.md, section 2).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "core/tensor/view.hpp"
#include "io/source.hpp"

namespace tt::cli {

/// One place for the results of a command. Made before any work, so that a target that cannot be
/// written is found out first.
class Output {
 public:
  /// Throws Error(usage) when --only names something else than `results`.
  Output(const Options& options, std::vector<io::ResultInfo> results);
  /// Writes one declared result, unless --only leaves it out; text is printed at once.
  void write(const std::string& name, const core::ArrayRef& array);
  void commit();

 private:
  const Options& options_;
  bool wanted(const std::string& name) const;

  bool text_ = false;
  std::unique_ptr<io::Sink> sink_;  // null: text alone
};

}  // namespace tt::cli
