// Where the threads of this process may run: a look into /proc, no timing, no quiet host needed.
#pragma once

#include <string>
#include <vector>

namespace tt::core {

struct MemberPlace {
  int thread_id = 0;
  std::string cpus_allowed;  // as the kernel lists it: "0-3,8"
};

/// Every thread of the process with its Cpus_allowed_list, by thread id.
std::vector<MemberPlace> census();

}  // namespace tt::core
