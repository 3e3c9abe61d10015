#include "io/zip_writer.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/python.hpp"
#include "tests/support/temp_dir.hpp"

using namespace tt::io;
using namespace tt::test;

namespace {

/// A file that large runs of zeros are not written to but left out of.
class SparseFile {
 public:
  explicit SparseFile(const std::string& path)
      : fd_(open(path.c_str(), O_WRONLY | O_CREAT, 0600)) {}
  ~SparseFile() { close(fd_); }
  SparseFile(const SparseFile&) = delete;

  void append(const void* data, std::size_t bytes) {
    if (bytes >= std::size_t{1} << 20) {
      lseek(fd_, static_cast<off_t>(bytes), SEEK_CUR);
    } else {
      CHECK(write(fd_, data, bytes) == static_cast<ssize_t>(bytes));
    }
  }

 private:
  int fd_;
};

}  // namespace

// 222957620 is 0x0d4a1185, the CRC-32 of "hello world" (zlib.crc32 of Python).
TEST_CASE("members beyond 4 GiB, and behind 4 GiB, are found by zipfile") {
  const TempDir dir;
  {
    SparseFile file(dir.file("c.zip"));
    ZipWriter zip([&](const void* data, std::size_t bytes) { file.append(data, bytes); });
    const std::vector<char> zeros(std::size_t{1} << 26);
    ZipMember large{"large", 0, 0, std::uint64_t{5} << 30, std::uint64_t{5} << 30};
    zip.begin(large);
    for (int i = 0; i < 80; ++i) zip.data(zeros.data(), zeros.size());
    zip.begin({"sm\xc3\xa4ll", 0, 0x0d4a1185, 11, 11});
    zip.data("hello world", 11);
    zip.finish();
  }
  run_python(dir.path(), R"(
with zipfile.ZipFile('c.zip') as z:
    large, small = z.infolist()
    assert (large.filename, large.file_size, large.compress_size) == ('large', 5 << 30, 5 << 30)
    assert z.open(large).read(100) == bytes(100)
    assert small.filename == 'sm\u00e4ll' and small.header_offset > 5 << 30
    assert z.read(small) == b'hello world'
)");
}

TEST_CASE("data begins on multiples of 64 bytes") {
  std::string archive;
  ZipWriter zip([&](const void* data, std::size_t bytes) {
    archive.append(static_cast<const char*>(data), bytes);
  });
  for (const char* name : {"a", "ab", "a name of some length"}) {
    zip.begin({name, 0, 0, 3, 3});
    CHECK(archive.size() % 64 == 0);
    zip.data("xyz", 3);
  }
}
