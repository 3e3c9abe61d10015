// Numbers for the members of a section, 0, 1, 2, ... in the order of their first task: scratch is
// taken for the width of a section, while a member's own number may be larger.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "core/team/exec.hpp"

namespace tt::kernels {

class MemberSlots {
 public:
  explicit MemberSlots(const core::Exec& exec)
      : slots_(static_cast<std::size_t>(exec.member_limit()), -1) {}

  /// The caller's slot; below the number of members that run the section.
  int of(int member) {
    int& slot = slots_[static_cast<std::size_t>(member)];  // only this member reads or writes it
    if (slot < 0) slot = next_.fetch_add(1, std::memory_order_relaxed);
    return slot;
  }

 private:
  std::vector<int> slots_;
  std::atomic<int> next_{0};
};

}  // namespace tt::kernels
