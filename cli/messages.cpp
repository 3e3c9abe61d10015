#include "cli/messages.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "io/commit.hpp"
#include "io/mapping.hpp"

namespace tt::cli {
namespace {

const char* command_name = "";

void write_all(const char* text, std::size_t bytes) noexcept {
  while (bytes > 0) {
    const ssize_t written = write(STDERR_FILENO, text, bytes);
    if (written <= 0) return;  // nobody is there to be told
    text += written;
    bytes -= static_cast<std::size_t>(written);
  }
}

void write_text(const char* text) noexcept {
  write_all(text, std::strlen(text));
}

/// In the signal handler: plain writes only.
void report_fault(const char* what, const char* file) noexcept {
  write_text("tt: ");
  if (*command_name) {
    write_text(command_name);
    write_text(": ");
  }
  write_text(what);
  write_text(": ");
  write_text(file);
  write_text("\n");
}

void end_by_signal(int signal) {
  io::remove_temporaries();
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
  raise(signal);
}

}  // namespace

void set_message_command(const char* name) {
  command_name = name;
}

void print_error(const core::Error& error) {
  std::string text = "tt: ";
  if (*command_name) text += std::string(command_name) + ": ";
  text += error.what();
  text += '\n';
  if (!error.excerpt().empty()) text += error.excerpt() + "\n";
  write_all(text.data(), text.size());
}

void print_report(const std::string& text) {
  write_all(text.data(), text.size());
}

void print_note(const std::string& text) {
  print_report(std::string("tt: ") + command_name + ": " + text + "\n");
}

void print_in_handler(const char* text, std::size_t bytes) noexcept {
  write_all(text, bytes);
}

void hold_standard_streams() {
  // Each gets the lowest free number, its own, with the access that makes its use fail.
  for (const auto& [fd, access] :
       {std::pair{STDIN_FILENO, O_WRONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_RDONLY}})
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", access) != fd) _exit(5);
}

void install_handlers() {
  struct sigaction action = {};
  action.sa_handler = end_by_signal;
  action.sa_flags = static_cast<int>(SA_NODEFER);
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction old = {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  signal(SIGXFSZ, SIG_IGN);  // a file size limit comes back as an error of write
  io::set_fault_reporter(report_fault);
}

}  // namespace tt::cli
