// The only writer to standard error: messages, warnings, reports.
#pragma once

#include <cstddef>
#include <string>

#include "core/error.hpp"

namespace tt::cli {

/// The command that messages name from now on. `name` lives as long as the process.
void set_message_command(const char* name);

/// "tt: COMMAND: wrong: where: right", and the excerpt of a spec below it.
void print_error(const core::Error& error);

/// A report (trace, plan, stats), as it is.
void print_report(const std::string& text);

/// One line about what was done (--verbose): "tt: COMMAND: text".
void print_note(const std::string& text);

/// Bytes as they are. Async-signal-safe.
void print_in_handler(const char* text, std::size_t bytes) noexcept;

/// Puts something that cannot be written or read in the place of a standard stream that the caller
/// closed. Else the first file opened takes its number, and what is meant for the stream goes
/// there.
void hold_standard_streams();

/// Temporaries go on SIGINT and SIGTERM, a file cut while mapped ends in one line: installs both.
void install_handlers();

}  // namespace tt::cli
