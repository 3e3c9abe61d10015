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

TEST_CASE("files as NumPy writes them: orders, byte orders, versions") {
  const TempDir dir;
  run_python(dir.path(), R"(
a = np.random.RandomState(1).standard_normal((4, 5, 6))
np.save('a.npy', a); np.save('F.npy', np.asfortranarray(a)); np.save('big.npy', a.astype('>f8'))
np.save('bigF.npy', np.asfortranarray(a.astype('>f8')))
for v in (2, 3):
    with open('v%d.npy' % v, 'wb') as f: np.lib.format.write_array(f, a, version=(v, 0))
h = b"{'descr': '<f8', 'fortran_order': False, 'shape': (4, 5, 6)}\n"
open('odd.npy', 'wb').write(b'\x93NUMPY\x01\x00' + bytes([len(h), 0]) + h + a.tobytes())
open('more.npy', 'wb').write(open('a.npy', 'rb').read() + b'xx')
)");
  const Loaded a = load(dir.file("a.npy"));
  CHECK(a.shape == core::Shape{4, 5, 6});
  for (const char* name :
       {"F.npy", "big.npy", "bigF.npy", "v2.npy", "v3.npy", "odd.npy", "more.npy"}) {
    CAPTURE(name);
    CHECK(load(dir.file(name)) == a);
    const std::string selection = "[::-2,1:3]";
    CHECK(load(dir.file(name + selection)) == load(dir.file("a.npy" + selection)));
    CHECK(load_as(dir.file(name), DType::float32) == load_as(dir.file("a.npy"), DType::float32));
  }
}

TEST_CASE("native elements are used where the file has them") {
  const TempDir dir;
  run_python(dir.path(), R"(
a = np.arange(24.0).reshape(4, 6)
np.save('a.npy', a); np.save('F.npy', np.asfortranarray(a)); np.save('big.npy', a.astype('>f8'))
)");
  for (const char* operand : {"a.npy", "F.npy", "a.npy[::-1,::2]", "F.npy[1,:]"})
    CHECK(io::open_operand(dir.file(operand))->load_bytes(DType::float64) == 0);
  CHECK(io::open_operand(dir.file("a.npy"))->load_bytes(DType::float32) == 96);
  CHECK(io::open_operand(dir.file("big.npy[1:3]"))->load_bytes(DType::float64) == 96);
  const auto source = io::open_operand(dir.file("F.npy"));
  CHECK(source->load(DType::float64).ref.strides == core::Strides{1, 4});
  // Another byte order or dtype keeps the order in memory.
  CHECK(source->load(DType::float32).ref.strides == core::Strides{1, 4});
}

TEST_CASE("a shape is believed only when the file has the bytes") {
  const TempDir dir;
  run_python(dir.path(), R"(
b = io.BytesIO(); np.save(b, np.zeros(5)); b = b.getvalue()
open('claim.npy', 'wb').write(b.replace(b'(5,), }', b'(1099511627776,), }')[:128] + bytes(40))
)");
  check_refused(dir.file("claim.npy"), Category::data, {"cut short", "1099511627776", "40"});
}

TEST_CASE("one array a file") {
  const TempDir dir;
  const auto sink = io::open_target(dir.file("c.npy"), {});
  try {
    sink->declare({{"Q", DType::float64, {2}}, {"R", DType::float64, {2}}});
    FAIL("accepted");
  } catch (const core::Error& error) {
    CHECK(error.category() == Category::usage);
    CHECK(std::string(error.what()).find("--only with one of Q, R") != std::string::npos);
  }
}
