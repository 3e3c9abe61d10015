// From argv to a command that runs: CLI11 app, help, version, usage errors.
#pragma once

namespace tt::cli {

/// Runs the command line and returns when it succeeded. Throws core::Error.
void run_app(int argc, char** argv);

}  // namespace tt::cli
