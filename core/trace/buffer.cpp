#include "core/trace/buffer.hpp"

#include <algorithm>

namespace tt::core {

Record& TraceLog::append(int member, Record record) {
  record.seq = next_seq_.fetch_add(1, std::memory_order_relaxed);
  record.member = member;
  return buffers_[static_cast<std::size_t>(member)].emplace_back(std::move(record));
}

std::vector<Record> TraceLog::merged() const {
  std::vector<Record> all;
  for (const auto& buffer : buffers_) all.insert(all.end(), buffer.begin(), buffer.end());
  std::ranges::sort(all, {}, &Record::seq);
  return all;
}

}  // namespace tt::core
