// The records of one command: per-member append-only buffers, no lock. Merged in the order of the
// logical tree when the command is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/trace/gate.hpp"

namespace tt::core {

/// One buffer per member; a member appends to its own only. References to records stay valid.
class TraceLog {
 public:
  explicit TraceLog(int members = 1) : buffers_(static_cast<std::size_t>(members)) {}

  /// Stamps seq and member and keeps the record.
  Record& append(int member, Record record);

  /// All records by seq. Called when no member runs.
  std::vector<Record> merged() const;

 private:
  std::vector<std::deque<Record>> buffers_;
  std::atomic<std::uint64_t> next_seq_{0};
};

}  // namespace tt::core
