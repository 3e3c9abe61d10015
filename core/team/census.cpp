#include "core/team/census.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace tt::core {

std::vector<MemberPlace> census() {
  std::vector<MemberPlace> members;
  std::error_code ignored;  // a thread that ends meanwhile is none
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    MemberPlace place;
    place.thread_id = std::stoi(entry.path().filename());
    std::ifstream status(entry.path() / "status");
    constexpr std::string_view key = "Cpus_allowed_list:";
    for (std::string line; std::getline(status, line);)
      if (line.starts_with(key)) place.cpus_allowed = line.substr(line.find_last_of("\t ") + 1);
    members.push_back(std::move(place));
  }
  std::ranges::sort(members, {}, &MemberPlace::thread_id);
  return members;
}

}  // namespace tt::core
