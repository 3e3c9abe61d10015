#include <array>

#include "cli/commands/command.hpp"

namespace tt::cli {

std::span<const Command* const> commands() {
  static constexpr std::array<const Command*, 5> table = {
      &einsum_command, &matmul_command, &info_command, &convert_command, &host_command,
  };
  return table;
}

}  // namespace tt::cli
