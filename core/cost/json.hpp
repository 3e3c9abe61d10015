// Host class files: JSON in and out. Unknown keys are an error that names them.
#pragma once

#include <string>
#include <string_view>

#include "core/cost/host_class.hpp"

namespace tt::core {

/// Parses the text of a host class file; `where` names it in messages. Throws Error(data).
HostClass parse_host_class(std::string_view text, std::string_view where);

/// The text of a host class file that parse_host_class reads back to an equal class.
std::string host_class_json(const HostClass& host);

}  // namespace tt::core
