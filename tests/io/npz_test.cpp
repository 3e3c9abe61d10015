#include "io/npz.hpp"

#include <doctest/doctest.h>

#include <string>

#include "io/operand.hpp"
#include "tests/io/loaded.hpp"
#include "tests/support/python.hpp"
#include "tests/support/temp_dir.hpp"

using namespace tt;
using namespace tt::test;
using core::Category;
using core::DType;

namespace {

void store(const std::string& target, const std::vector<io::ResultInfo>& results, double value) {
  const auto sink = io::open_target(target, {});
  sink->declare(results);
  const std::vector<double> data(100, value);
  for (const io::ResultInfo& result : results)
    sink->write(result.name,
                {data.data(), result.dtype, result.shape, core::c_strides(result.shape)});
  sink->commit();
}

std::string with_bytes(std::string archive, const std::string& record, std::size_t offset,
                       const std::string& bytes) {
  return archive.replace(archive.rfind(record) + offset, bytes.size(), bytes);
}

}  // namespace

TEST_CASE("archives as NumPy and zipfile write them") {
  const TempDir dir;
  run_python(dir.path(), R"(
a = np.random.RandomState(1).standard_normal((30, 20))
np.save('a.npy', a); np.save('y.npy', a[0].astype('f4'))
np.savez('stored.npz', x=a, y=a[0].astype('f4'))
np.savez_compressed('deflated.npz', x=np.asfortranarray(a.astype('>f8')), y=a[0].astype('f4'))
np.savez('one.npz', q=a)
with zipfile.ZipFile('zip64.npz', 'w') as z:
    with z.open('x.npy', 'w', force_zip64=True) as f: np.save(f, a)
class Pipe(io.RawIOBase):
    def __init__(self): self.bytes = b''
    def writable(self): return True
    def write(self, data): self.bytes += bytes(data); return len(data)
pipe = Pipe()
with zipfile.ZipFile(pipe, 'w', zipfile.ZIP_DEFLATED) as z:
    b = io.BytesIO(); np.save(b, a); z.writestr('x.npy', b.getvalue())
open('descriptor.npz', 'wb').write(pipe.bytes)
with zipfile.ZipFile('comment.npz', 'w') as z:
    z.writestr('readme.txt', 'hello'); b = io.BytesIO(); np.save(b, a); z.writestr('d/x.y.npy', b.getvalue())
    z.comment = b'a comment'
np.savez('twice.npz', **{'x.npy': a[1:], 'x': a})
)");
  const Loaded a = load(dir.file("a.npy")), y = load(dir.file("y.npy"));
  CHECK(load(dir.file("stored.npz:x")) == a);
  CHECK(load(dir.file("stored.npz:y")) == y);
  CHECK(load(dir.file("deflated.npz:x")) == a);
  CHECK(load(dir.file("deflated.npz:y")) == y);
  CHECK(load(dir.file("one.npz")) == a);
  CHECK(load(dir.file("zip64.npz:x")) == a);
  CHECK(load(dir.file("descriptor.npz:x")) == a);
  CHECK(load(dir.file("comment.npz:d/x.y")) == a);
  CHECK(load(dir.file("comment.npz")) == a);
  CHECK(load(dir.file("twice.npz:x")) == a);
  CHECK(load(dir.file("twice.npz:x.npy")) == load(dir.file("a.npy[1:]")));
  CHECK(load(dir.file("deflated.npz:x[::-3,1:5]")) == load(dir.file("a.npy[::-3,1:5]")));
  CHECK(load_as(dir.file("deflated.npz:y"), DType::float64) ==
        load_as(dir.file("y.npy"), DType::float64));
  check_refused(dir.file("stored.npz"), Category::usage, {"x, y"});
  check_refused(dir.file("stored.npz:z"), Category::data, {"'z'", "x, y"});
  check_refused(dir.file("comment.npz:readme.txt"), Category::data, {"NPY"});
}

TEST_CASE("stored members of our own archives are mapped, not copied") {
  const TempDir dir;
  store(dir.file("c.npz"), {{"first", DType::float64, {3}}, {"n", DType::float64, {10, 10}}}, 1);
  CHECK(io::open_operand(dir.file("c.npz:n"))->load_bytes(DType::float64) == 0);
}

TEST_CASE("numpy reads what we write, and members are added to what is there") {
  const TempDir dir;
  run_python(dir.path(),
             "np.savez_compressed('c.npz', a=np.arange(5), b=np.eye(2), C=np.zeros(3))");
  store(dir.file("c.npz:C"), {{"ignored", DType::float64, {2, 2}}}, 7);
  store(dir.file("c.npz:new"), {{"ignored", DType::float64, {}}}, 8);
  run_python(dir.path(), R"(
assert zipfile.ZipFile('c.npz').testzip() is None
d = np.load('c.npz')
assert sorted(d) == ['C', 'a', 'b', 'new'], sorted(d)
assert (d['a'] == np.arange(5)).all() and (d['b'] == np.eye(2)).all()
assert (d['C'] == np.full((2, 2), 7)).all() and d['new'].shape == () and d['new'] == 8
)");
  store(dir.file("c.npz"), {{"Q", DType::float64, {2}}, {"R", DType::float64, {0, 3}}}, 1);
  run_python(dir.path(),
             "d = np.load('c.npz'); assert sorted(d) == ['Q', 'R'], sorted(d)\n"
             "assert d['R'].shape == (0, 3)");
}

TEST_CASE("one member cannot take several results") {
  const TempDir dir;
  const auto sink = io::open_target(dir.file("c.npz:x"), {});
  CHECK_THROWS_AS(sink->declare({{"Q", DType::float64, {2}}, {"R", DType::float64, {2}}}),
                  core::Error);
}

TEST_CASE("archives that lie are refused before anything is allocated") {
  const TempDir dir;
  run_python(dir.path(),
             "np.savez_compressed('a.npz', x=np.arange(500.0))\n"
             "np.savez('s.npz', x=np.arange(500.0))");
  const std::string good = read_file(dir.file("a.npz"));
  const std::string directory = "PK\x01\x02", huge = "\xf0\xff\xff\x7f";
  const auto check = [&](const std::string& bytes, const std::string& word) {
    write_file(dir.file("b.npz"), bytes);
    const std::uint64_t before = core::peak_allocated_bytes();
    check_refused(dir.file("b.npz:x"), Category::data, {word});
    CHECK(core::peak_allocated_bytes() - before <= 4000);
  };
  const std::string local = "PK\x03\x04";
  check(with_bytes(good, directory, 24, huge), "header");
  check(with_bytes(with_bytes(good, directory, 24, huge), local, 22, huge), "size");
  check(with_bytes(with_bytes(good, directory, 20, huge), local, 18, huge), "cut short");
  check(with_bytes(good, directory, 42, huge), "header");
  check(with_bytes(good, directory, 10, "\x63"), "method");
  check(with_bytes(good, directory, 16, "\x01\x02\x03"), "");
  check(with_bytes(good, directory, 8, "\x01"), "encrypted");
  std::string flipped = read_file(dir.file("s.npz"));
  flipped[400] = static_cast<char>(flipped[400] ^ 1);
  check(flipped, "checksum");
}
