#include "cli/progress.hpp"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "cli/messages.hpp"

namespace tt::cli {
namespace {

constexpr int cells = 30;

// What the signal handler reads: set before the timer is armed.
const char* bar_command = "";
double bar_estimate = 0;
timespec bar_start;
volatile sig_atomic_t bar_drawn = 0;

/// A line made without allocation or stdio: it is drawn in a signal handler.
class Line {
 public:
  void add(const char* text) {
    while (*text && size_ < sizeof text_) text_[size_++] = *text++;
  }
  void add(long number) {
    char digits[20];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0 && size_ < sizeof text_) text_[size_++] = digits[--count];
  }
  void draw() const { print_in_handler(text_, size_); }

 private:
  char text_[160];
  std::size_t size_ = 0;
};

void draw_bar(int) {
  const int kept_errno = errno;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double passed = static_cast<double>(now.tv_sec - bar_start.tv_sec) +
                        static_cast<double>(now.tv_nsec - bar_start.tv_nsec) * 1e-9;
  const double share = std::min(passed / bar_estimate, 0.99);
  Line line;
  line.add("\rtt: ");
  line.add(bar_command);
  line.add(" [");
  for (int i = 0; i < cells; ++i) line.add(i < static_cast<int>(share * cells) ? "#" : ".");
  line.add("] ");
  line.add(static_cast<long>(passed));
  line.add(" s of about ");
  line.add(static_cast<long>(std::ceil(bar_estimate)));
  line.add(" s\033[K");
  line.draw();
  bar_drawn = 1;
  errno = kept_errno;
}

void arm(long first_ms, long every_ms) {
  itimerval timer = {};
  timer.it_value = {first_ms / 1000, first_ms % 1000 * 1000};
  timer.it_interval = {every_ms / 1000, every_ms % 1000 * 1000};
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

Progress::Progress(ProgressWhen when, bool quiet, const char* command, double estimated_seconds) {
  const bool wanted = when == ProgressWhen::always ||
                      (when == ProgressWhen::automatic && !quiet && isatty(STDERR_FILENO) == 1);
  if (!wanted) return;
  active_ = true;
  bar_command = command;
  bar_estimate = std::clamp(estimated_seconds, 1.0, 1e9);
  bar_drawn = 0;
  clock_gettime(CLOCK_MONOTONIC, &bar_start);
  struct sigaction action = {};
  action.sa_handler = draw_bar;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  arm(1000, 200);
}

Progress::~Progress() {
  if (!active_) return;
  arm(0, 0);
  signal(SIGALRM, SIG_IGN);
  constexpr char clear[] = "\r\033[K";
  if (bar_drawn) print_in_handler(clear, std::strlen(clear));
}

}  // namespace tt::cli
