#include "io/commit.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "core/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace tt;
using namespace tt::io;
using tt::test::read_file;
using tt::test::TempDir;
using tt::test::write_file;

namespace {

void put(PendingFile& file, const std::string& text) {
  file.write(text.data(), text.size());
}

mode_t mode_of(const std::string& path) {
  struct stat status;
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

void check_refused(const std::string& target, const std::string& words) {
  CAPTURE(target);
  try {
    PendingFile file(target);
    FAIL("opened");
  } catch (const core::Error& error) {
    CHECK(error.category() == core::Category::io);
    CHECK(std::string(error.what()).find(target) != std::string::npos);
    CHECK(std::string(error.what()).find(words) != std::string::npos);
  }
}

/// Runs fn in a child that ends by SIGKILL in the middle of it.
template <class Fn>
void killed_while(Fn&& fn) {
  const pid_t child = fork();
  if (child == 0) {
    fn();
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
}

}  // namespace

TEST_CASE("a file appears at commit, whole") {
  const TempDir dir;
  const std::string target = dir.file("c.npy");
  PendingFile file(target);
  put(file, "new");
  CHECK(read_file(target) == "");
  file.commit();
  CHECK(read_file(target) == "new");
  CHECK(dir.entries() == 1);
}

TEST_CASE("without commit the old file stays and nothing else") {
  const TempDir dir;
  const std::string target = dir.file("c.npy");
  write_file(target, "old");
  {
    PendingFile file(target);
    put(file, "new");
  }
  CHECK(read_file(target) == "old");
  CHECK(dir.entries() == 1);
}

TEST_CASE("modes: an existing one stays, a new one follows the umask") {
  const TempDir dir;
  const std::string target = dir.file("c.npy");
  const mode_t before = umask(027);
  PendingFile(target).commit();
  CHECK(mode_of(target) == 0640);
  chmod(target.c_str(), 0604);
  PendingFile(target).commit();
  CHECK(mode_of(target) == 0604);
  umask(before);
}

TEST_CASE("links are followed, also to a file that is not there yet") {
  const TempDir dir;
  const std::string link = dir.file("l.npy");
  REQUIRE(symlink("real.npy", link.c_str()) == 0);
  for (const char* text : {"first", "second"}) {
    PendingFile file(link);
    put(file, text);
    file.commit();
    CHECK(read_file(dir.file("real.npy")) == text);
  }
  CHECK(dir.entries() == 2);
  REQUIRE(symlink("b.npy", dir.file("a.npy").c_str()) == 0);
  REQUIRE(symlink("a.npy", dir.file("b.npy").c_str()) == 0);
  check_refused(dir.file("a.npy"), "symbolic links");
}

TEST_CASE("what is no regular file is written straight") {
  const TempDir dir;
  PendingFile null("/dev/null");
  put(null, "text");
  CHECK(null.straight());
  null.commit();
  const std::string fifo = dir.file("f.npy");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  PendingFile file(fifo);
  put(file, "text");
  file.commit();
  char text[5] = {};
  CHECK(read(reader, text, 4) == 4);
  CHECK(std::string(text) == "text");
  close(reader);
}

TEST_CASE("targets that cannot be written are refused by name") {
  const TempDir dir;
  check_refused(dir.file("no/such/c.npy"), "No such file");
  check_refused(dir.path(), "directory");
}

TEST_CASE("temporaries of killed commands go with the next one, those of living ones stay") {
  const TempDir dir;
  const std::string target = dir.file("c.npy");
  killed_while([&] {
    PendingFile a(target), b(target), c(target);
    put(a, "part");
    kill(getpid(), SIGKILL);
  });
  CHECK(dir.entries() == 3);
  PendingFile living(target);
  put(living, "living");
  CHECK(dir.entries() == 1);
  {
    PendingFile second(target);
    put(second, "second");
    second.commit();
  }
  CHECK(read_file(target) == "second");
  living.commit();
  CHECK(read_file(target) == "living");
  CHECK(dir.entries() == 1);
}

TEST_CASE("a signal handler can remove the temporaries") {
  const TempDir dir;
  PendingFile file(dir.file("c.npy"));
  CHECK(dir.entries() == 1);
  remove_temporaries();
  CHECK(dir.entries() == 0);
}

TEST_CASE("a file size limit is an error, not a kill") {
  const TempDir dir;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    int status = 1;
    try {
      PendingFile file(dir.file("c.npy"));
      put(file, std::string(1000, 'x'));
    } catch (const core::Error& error) {
      status = error.category() == core::Category::io ? 0 : 2;
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(dir.entries() == 0);
}

TEST_CASE("the folder lock admits one at a time") {
  const TempDir dir;
  int go[2], order[2];
  REQUIRE(pipe(go) == 0);
  REQUIRE(pipe(order) == 0);
  // Before the lock: a child would inherit it.
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    if (read(go[0], &byte, 1) != 1) _exit(1);
    const FolderLock other(dir.file("d.h5"));
    _exit(write(order[1], "b", 1) == 1 ? 0 : 1);
  }
  {
    const FolderLock lock(dir.file("c.h5"));
    CHECK(write(go[1], "g", 1) == 1);
    usleep(20000);  // time enough for the child to be wrong
    CHECK(write(order[1], "a", 1) == 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  char seen[3] = {};
  CHECK(read(order[0], seen, 2) == 2);
  CHECK(std::string(seen) == "ab");
  for (const int end : {go[0], go[1], order[0], order[1]}) close(end);
}
