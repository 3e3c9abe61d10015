// Which CPUs each thread of this process may run on, as the kernel has it: where the members ended
// up is answered without timing, so it needs no quiet host. What the sets mean in cores and caches
// is left to topology.hpp.
#pragma once

#include <string>
#include <vector>

namespace tt::core {

struct MemberPlace {
  int thread_id = 0;
  std::string cpus_allowed;  // as the kernel lists it: "0-3,8"
};

/// Every thread of the process, sorted by thread id. A thread that ends meanwhile is left out.
std::vector<MemberPlace> census();

}  // namespace tt::core
