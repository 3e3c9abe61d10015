// The progress bar of a long computation: on standard error, from the second second on, redrawn by
// a timer signal, because a command that runs serially has no thread to spare for it. It shows the
// time that has passed as a share of the estimate; what is really done is not known to it.
#pragma once

#include <cstdint>

namespace tt::cli {

/// automatic: on a terminal, unless --quiet.
enum class ProgressWhen : std::uint8_t { automatic, never, always };

class Progress {
 public:
  /// The bar of `command` (a literal) may appear from now on, until the end of the object's life.
  /// One at a time.
  Progress(ProgressWhen when, bool quiet, const char* command, double estimated_seconds);
  ~Progress();
  Progress(const Progress&) = delete;

 private:
  bool active_ = false;
};

}  // namespace tt::cli
