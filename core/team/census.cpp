#include "core/team/census.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "core/error.hpp"

namespace tt::core {
namespace {

/// The value of Cpus_allowed_list; empty when the thread has ended.
std::string read_cpus_allowed(const std::filesystem::path& task) {
  constexpr std::string_view key = "Cpus_allowed_list:\t";
  std::ifstream status(task / "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return line.substr(key.size());
  return {};
}

}  // namespace

std::vector<MemberPlace> census() {
  std::vector<MemberPlace> members;
  std::error_code failure;
  std::filesystem::directory_iterator task("/proc/self/task", failure);
  for (; !failure && task != std::filesystem::directory_iterator(); task.increment(failure))
    if (std::string cpus = read_cpus_allowed(task->path()); !cpus.empty())
      members.push_back({std::stoi(task->path().filename()), std::move(cpus)});
  if (failure)
    throw Error(Category::io, "cannot list the threads of this process", "/proc/self/task",
                failure.message());
  std::ranges::sort(members, {}, &MemberPlace::thread_id);
  return members;
}

}  // namespace tt::core
