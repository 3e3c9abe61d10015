#include "io/operand.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "tests/io/loaded.hpp"
#include "tests/support/temp_dir.hpp"

using namespace tt;
using namespace tt::test;
using core::Category;
using core::DType;

namespace {

/// Writes [first, first + 1, first + 2].
void store(const std::string& target, double first) {
  const double data[] = {first, first + 1, first + 2};
  const auto sink = io::open_target(target, {});
  sink->declare({{"C", DType::float64, {3}}});
  sink->write("C", {data, DType::float64, {3}, {1}});
  sink->commit();
}

double first_of(const std::string& operand) {
  const auto source = io::open_operand(operand);
  const core::Tensor tensor = source->load(DType::float64);
  return *static_cast<const double*>(tensor.ref.data);
}

/// A pipe with these bytes in it, under its name in /dev/fd.
class FilledPipe {
 public:
  explicit FilledPipe(std::string bytes) {
    REQUIRE(pipe(ends_) == 0);
    writer_ = std::thread([this, bytes = std::move(bytes)] {
      std::size_t at = 0;
      while (at < bytes.size()) {
        // Small pieces, as slow writers send them.
        const ssize_t now =
            write(ends_[1], bytes.data() + at, std::min<std::size_t>(bytes.size() - at, 7));
        if (now <= 0) break;
        at += static_cast<std::size_t>(now);
      }
      close(ends_[1]);
    });
  }
  ~FilledPipe() {
    close(ends_[0]);
    writer_.join();
  }
  std::string name() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2];
  std::thread writer_;
};

}  // namespace

TEST_CASE("of names with colons and brackets the longest file that exists is meant") {
  const TempDir dir;
  store(dir.file("a.npy"), 10);
  store(dir.file("a.npy[1].npy"), 20);
  store(dir.file("b:c.npy"), 30);
  store(dir.file("d [2]:e.npz:m"), 40);
  CHECK(first_of(dir.file("a.npy")) == 10);
  CHECK(first_of(dir.file("a.npy[1]")) == 11);
  CHECK(first_of(dir.file("a.npy[1].npy")) == 20);
  CHECK(first_of(dir.file("a.npy[1].npy[-1]")) == 22);
  CHECK(first_of(dir.file("b:c.npy[1:]")) == 31);
  CHECK(first_of(dir.file("d [2]:e.npz:m[2]")) == 42);
  CHECK(first_of(dir.file("d [2]:e.npz")) == 40);
}

TEST_CASE("what the bytes say goes before the extension") {
  const TempDir dir;
  store(dir.file("a.npy"), 1);
  write_file(dir.file("a.h5"), read_file(dir.file("a.npy")));
  write_file(dir.file("noext"), read_file(dir.file("a.npy")));
  CHECK(first_of(dir.file("a.h5")) == 1);
  CHECK(first_of(dir.file("noext")) == 1);
}

TEST_CASE("operands that are not there, or are no arrays") {
  const TempDir dir;
  write_file(dir.file("text.xyz"), "1 2 3");
  write_file(dir.file("empty.npy"), "");
  check_refused(dir.file("no.npz:x"), Category::io, {"no.npz", "No such file"});
  check_refused(dir.path(), Category::io, {"directory"});
  check_refused(dir.file("text.xyz"), Category::data, {"text.xyz", ".npy"});
  check_refused(dir.file("empty.npy"), Category::data, {"empty.npy"});
  check_refused("/dev/null", Category::data, {"empty"});
  check_refused("/dev/zero", Category::data, {"magic"});
  check_refused("", Category::usage);
  store(dir.file("a.npy"), 1);
  check_refused(dir.file("a.npy:x"), Category::usage, {"member 'x'"});
}

TEST_CASE("targets: extensions, folders, members") {
  const TempDir dir;
  const auto category = [](const std::string& target) {
    try {
      io::open_target(target, {});
    } catch (const core::Error& error) {
      return error.category();
    }
    return Category{};
  };
  CHECK(category(dir.file("c.xyz")) == Category::usage);
  CHECK(category(dir.file("no/c.npy")) == Category::io);
  CHECK(category(dir.file("c.npy:x")) == Category::usage);
  CHECK(category("/dev/null") == Category{});
  CHECK(dir.entries() == 0);

  // Options that a format does not know are not dropped in silence.
  io::SinkOptions packed;
  packed.compress = 5;
  CHECK_THROWS_AS(io::open_target(dir.file("c.npy"), packed), core::Error);
  packed.compress = 10;
  CHECK_THROWS_AS(io::open_target(dir.file("c.h5"), packed), core::Error);
}

TEST_CASE("streams: NPY and NPZ by their first bytes, one array for all that name it") {
  const TempDir dir;
  store(dir.file("a.npy"), 5);
  store(dir.file("a.npz:m"), 6);
  const std::string npy = read_file(dir.file("a.npy")), npz = read_file(dir.file("a.npz"));
  {
    const FilledPipe pipe(npy);
    CHECK(load(pipe.name() + "[::-1]") == load(dir.file("a.npy[::-1]")));
  }
  {
    const FilledPipe pipe(npy);
    CHECK(load_as(pipe.name(), DType::complex64) == load_as(dir.file("a.npy"), DType::complex64));
  }
  {
    const FilledPipe pipe(npz);
    CHECK(load(pipe.name() + ":m") == load(dir.file("a.npz:m")));
  }
  {
    const FilledPipe pipe(npy);
    const auto one = io::open_operand(pipe.name()), two = io::open_operand(pipe.name() + "[1]");
    CHECK(*static_cast<const double*>(two->load(DType::float64).ref.data) == 6);
    CHECK(*static_cast<const double*>(one->load(DType::float64).ref.data) == 5);
  }
  {
    const FilledPipe pipe(npy.substr(0, npy.size() - 1));
    check_refused(pipe.name(), Category::data, {"cut short"});
  }
  {
    const FilledPipe pipe(npy);
    check_refused(pipe.name() + ":m", Category::data, {"member 'm'"});
  }
  {
    const FilledPipe pipe("\x89HDF\r\n\x1a\n....");
    check_refused(pipe.name(), Category::data, {"magic"});
  }
}

TEST_CASE("lists of operands") {
  const TempDir dir;
  write_file(dir.file("list"), "a.npy\r\n\n  \nb c.npy[0]\n");
  CHECK(io::read_operand_list(dir.file("list")) == std::vector<std::string>{"a.npy", "b c.npy[0]"});
  CHECK_THROWS_AS(io::read_operand_list(dir.file("none")), core::Error);
}
