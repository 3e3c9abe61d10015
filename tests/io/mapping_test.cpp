#include "io/mapping.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "core/error.hpp"
#include "io/commit.hpp"
#include "tests/support/temp_dir.hpp"

using namespace tt;
using namespace tt::io;
using namespace tt::test;

TEST_CASE("a mapping shows the file") {
  const TempDir dir;
  write_file(dir.file("a"), "text");
  write_file(dir.file("empty"), "");
  const auto mapping = Mapping::open(dir.file("a"));
  CHECK(mapping->bytes() == 4);
  CHECK(std::memcmp(mapping->data(), "text", 4) == 0);
  CHECK(Mapping::open(dir.file("empty"))->bytes() == 0);
  CHECK_THROWS_AS(Mapping::open(dir.file("none")), core::Error);
  CHECK_THROWS_AS(Mapping::open(dir.path()), core::Error);
  CHECK_THROWS_AS(Mapping::open("/dev/zero"), core::Error);
}

TEST_CASE("a file cut while in use ends in a message, status 4 and no temporaries") {
  const TempDir dir;
  const std::string file = dir.file("a");
  write_file(file, std::string(100000, 'x'));
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  static int report_to;
  report_to = ends[1];
  const pid_t child = fork();
  if (child == 0) {
    set_fault_reporter([](const char* what, const char* name) noexcept {
      for (const char* text : {what, ": ", name})
        if (write(report_to, text, std::strlen(text)) < 0) _exit(9);
    });
    const auto other = Mapping::open(file);
    { const auto closed = Mapping::open(file); }
    const auto mapping = Mapping::open(file);
    const PendingFile pending(dir.file("c.npy"));
    if (truncate(file.c_str(), 0) != 0) _exit(8);
    const volatile std::byte* data = mapping->data();
    _exit(static_cast<int>(data[50000]));
  }
  close(ends[1]);
  std::string said(1000, '\0');
  const ssize_t length = read(ends[0], said.data(), said.size());
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  for (;;) {
    char more[100];
    const ssize_t now = read(ends[0], more, sizeof more);
    if (now <= 0) break;
    said.append(more, static_cast<std::size_t>(now));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 4);
  CHECK(said == "the file was cut while in use: " + file);
  CHECK(dir.entries() == 1);
}
