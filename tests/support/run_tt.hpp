// Runs the real binary (TT_BINARY) in a fresh folder: arguments, standard input and environment in,
// both streams and the status out. What a run says on failure (command, folder, streams) is in
// Outcome::report; check_ok and check_fails print it.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "temp_dir.hpp"

namespace tt::test {

/// What standard output is for the command.
enum class StdoutIs { pipe, terminal, full_device, closed };

struct RunOptions {
  std::string input = {};  // standard input, as a file
  std::map<std::string, std::string> environment =
      {};  // beyond the caller's, without TT_, OMP_, SLURM_
  StdoutIs out = StdoutIs::pipe;
  int signal_at_work = 0;  // sent some time after the command has made its first file
};

struct Outcome {
  int status = 0;  // the exit status, or 128 + the signal that ended it
  std::string out, err;
  std::string report;
};

/// One fresh folder and the runs in it.
class TtFolder {
 public:
  /// tt with these arguments.
  Outcome run(std::vector<std::string> arguments, const RunOptions& options = {}) {
    arguments.insert(arguments.begin(), TT_BINARY);
    return run_program(std::move(arguments), options);
  }

  /// A shell script; $TT is the binary, and any failing part of a pipeline is a failure.
  Outcome run_shell(const std::string& script, const RunOptions& options = {}) {
    return run_program({"/bin/bash", "-c", "set -o pipefail; " + script}, options);
  }

  std::string file(std::string_view name) const { return folder_.file(name); }
  const std::string& path() const { return folder_.path(); }

  /// The names in the folder, sorted.
  std::vector<std::string> listing() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path()))
      names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }

 private:
  static constexpr int limit_ms = 120000;    // a hang fails instead of stopping the suite
  static constexpr int until_work_ms = 300;  // operands are loaded by then, as a rule

  /// The two ends of a stream of the child: ours is read, its own is given to it.
  struct Ends {
    int ours = -1, its = -1;
  };

  static Ends open_pipe() {
    std::array<int, 2> fds{};
    if (pipe2(fds.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    return {fds[0], fds[1]};
  }

  static Ends open_stdout(StdoutIs kind) {
    if (kind == StdoutIs::pipe) return open_pipe();
    if (kind == StdoutIs::full_device) return {-1, open("/dev/full", O_WRONLY | O_CLOEXEC)};
    if (kind == StdoutIs::closed) return {};
    Ends ends;
    termios raw{};
    cfmakeraw(&raw);  // line ends arrive as they were written
    if (openpty(&ends.ours, &ends.its, nullptr, &raw, nullptr) != 0)
      throw std::runtime_error("no terminal");
    return ends;
  }

  static int open_input(const std::string& text) {
    const int fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      throw std::runtime_error("no standard input");
    lseek(fd, 0, SEEK_SET);
    return fd;
  }

  static std::vector<std::string> environment_of(const RunOptions& options) {
    std::vector<std::string> variables = {std::string("TT=") + TT_BINARY};
    for (char** at = environ; *at; ++at) {
      const std::string_view variable = *at;
      const auto steers = [&](std::string_view prefix) { return variable.starts_with(prefix); };
      if (steers("TT_") || steers("TT=") || steers("OMP_") || steers("SLURM_")) continue;
      if (options.environment.contains(std::string(variable.substr(0, variable.find('=')))))
        continue;
      variables.emplace_back(variable);
    }
    for (const auto& [name, value] : options.environment) variables.push_back(name + "=" + value);
    return variables;
  }

  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (std::string& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  }

  pid_t start(std::vector<std::string>& command, const RunOptions& options, int out, int err) {
    const int input = open_input(options.input);
    std::vector<std::string> variables = environment_of(options);
    const std::vector<char*> argv = pointers(command), envp = pointers(variables);
    const pid_t child = fork();
    if (child == 0) {
      dup2(input, STDIN_FILENO);
      if (out >= 0)
        dup2(out, STDOUT_FILENO);
      else
        close(STDOUT_FILENO);
      dup2(err, STDERR_FILENO);
      signal(SIGINT, SIG_DFL);  // a test run in the background ignores it
      signal(SIGPIPE, SIG_DFL);
      if (chdir(path().c_str()) == 0) execve(argv[0], argv.data(), envp.data());
      _exit(127);
    }
    close(input);
    return child;
  }

  /// Reads both streams until the child has closed them.
  void read_streams(pid_t child, const RunOptions& options, int out, int err, Outcome& outcome) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(limit_ms);
    const std::size_t files_before = listing().size();
    bool signal_due = options.signal_at_work != 0;
    std::array<pollfd, 2> streams = {{{out, POLLIN, 0}, {err, POLLIN, 0}}};
    while (streams[0].fd >= 0 || streams[1].fd >= 0) {
      if (Clock::now() > end) kill(child, SIGKILL);
      if (signal_due && listing().size() > files_before) {
        std::this_thread::sleep_for(std::chrono::milliseconds(until_work_ms));
        kill(child, options.signal_at_work);
        signal_due = false;
      }
      poll(streams.data(), streams.size(), signal_due ? 1 : 1000);
      for (pollfd& stream : streams) {
        if (stream.fd < 0 || stream.revents == 0) continue;
        std::array<char, 65536> buffer;
        const ssize_t count = read(stream.fd, buffer.data(), buffer.size());
        std::string& text = &stream == streams.data() ? outcome.out : outcome.err;
        if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
        if (count <= 0) stream.fd = -1;  // a terminal ends in an error
      }
    }
  }

  Outcome run_program(std::vector<std::string> command, const RunOptions& options) {
    const Ends out = open_stdout(options.out), err = open_pipe();
    const pid_t child = start(command, options, out.its, err.its);
    for (const int fd : {out.its, err.its})
      if (fd >= 0) close(fd);
    Outcome outcome;
    read_streams(child, options, out.ours, err.ours, outcome);
    for (const int fd : {out.ours, err.ours})
      if (fd >= 0) close(fd);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    outcome.report = report_of(command, options, outcome);
    return outcome;
  }

  std::string report_of(const std::vector<std::string>& command, const RunOptions& options,
                        const Outcome& outcome) const {
    std::string text = "command:";
    for (const auto& [name, value] : options.environment) text += " " + name + "=" + value;
    for (const std::string& argument : command) text += " '" + argument + "'";
    text += "\nstatus: " + std::to_string(outcome.status) + "\nfolder:";
    for (const std::string& name : listing()) text += " " + name;
    return text + "\nstdout:\n" + outcome.out.substr(0, 4000) + "\nstderr:\n" + outcome.err;
  }

  TempDir folder_;
};

/// Status 0; returns what was written to standard output.
inline std::string check_ok(const Outcome& outcome) {
  INFO(outcome.report);
  CHECK(outcome.status == 0);
  return outcome.out;
}

/// The status and the whole of standard error, word for word; nothing on standard output.
inline void check_fails(const Outcome& outcome, int status, const std::string& message) {
  INFO(outcome.report);
  CHECK(outcome.status == status);
  CHECK(outcome.err == message + "\n");
  CHECK(outcome.out.empty());
}

}  // namespace tt::test
