#include "core/team/progress.hpp"

#include <sched.h>

#include "core/team/spin.hpp"

namespace tt::core {

void Progress::wait_for(std::int64_t target) const {
  // Guessed: longer than a pack or a tile takes to finish, far shorter than a time slice.
  constexpr int spins = 2000;
  for (int i = 0; done_.load(std::memory_order_acquire) < target; ++i) {
    if (i < spins) {
      pause_cpu();
    } else {
      sched_yield();
    }
  }
}

}  // namespace tt::core
