// The only writer to standard error: messages, warnings, reports.
#pragma once

#include <string>

#include "core/error.hpp"

namespace tt::cli {

/// The command that messages name from now on. `name` lives as long as the process.
void set_message_command(const char* name);

/// "tt: COMMAND: wrong: where: right", and the excerpt of a spec below it.
void print_error(const core::Error& error);

/// A report (trace, plan, stats), as it is.
void print_report(const std::string& text);

/// Temporaries go on SIGINT and SIGTERM, a file cut while mapped ends in one line: installs both.
void install_handlers();

}  // namespace tt::cli
