// convert: every form to every form, element types, and what it refuses.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/python.hpp"
#include "tests/support/run_tt.hpp"

using namespace tt::test;

TEST_CASE("every form to every form") {
  TtFolder folder;
  check_ok(folder.run({"convert", "@arange:2x3x4", "a.npy"}));
  for (const std::string from : {"a.npy", "b.npz:x", "c.h5:/g/x"})
    for (const std::string to : {"b.npz:x", "c.h5:/g/x", "d.npy"}) {
      check_ok(folder.run({"convert", "a.npy", from == "a.npy" ? "e.npy" : from}));
      check_ok(folder.run({"convert", from, to}));
      check_ok(folder.run({"convert", to, "back.npy"}));
      CHECK(read_file(folder.file("back.npy")) == read_file(folder.file("a.npy")));
    }
}

TEST_CASE("element types stay, or become the one that --dtype names") {
  TtFolder folder;
  run_python(folder.path(), R"(
for t in ('?', 'i1', '>i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', '>f4', 'f8', 'c8', '>c16'):
    np.save(np.dtype(t).name + '.npy', np.asfortranarray(np.arange(6).reshape(2, 3).astype(t)))
)");
  for (const std::string type :
       {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
        "float32", "float64", "complex64", "complex128"}) {
    check_ok(folder.run({"convert", type + ".npy", "kept.npz:" + type}));
    check_ok(folder.run({"convert", "@arange:6", "cast.npz:" + type, "--dtype", type}));
  }
  run_python(folder.path(), R"(
for name in ('kept.npz', 'cast.npz'):
    with np.load(name) as all:
        assert len(all.files) == 14
        for t in all.files:
            want = np.arange(6).astype(t)
            assert all[t].dtype == want.dtype and np.array_equal(all[t].ravel(), want), (name, t)
)");
}

TEST_CASE("a value that the type cannot hold is bad data") {
  TtFolder folder;
  check_fails(folder.run({"convert", "@arange:300", "x.npy", "--dtype", "int8"}), 4,
              "tt: convert: the value 128 does not fit int8: @arange:300: another --dtype");
  CHECK(folder.listing().empty());
}

TEST_CASE("two targets are one too many") {
  TtFolder folder;
  check_fails(folder.run({"convert", "@2x2", "a.npy", "-o", "b.npy"}), 2,
              "tt: convert: two targets: a.npy and -o b.npy: tt convert IN OUT, without -o");
}

TEST_CASE("compression and chunks of HDF5, selections, a dry run") {
  TtFolder folder;
  check_ok(
      folder.run({"convert", "@zeros:100x50", "a.h5:/x", "--compress", "4", "--chunks", "20,10"}));
  check_ok(folder.run({"convert", "a.h5:/x[::30,:5]", "b.npy"}));
  run_python(folder.path(), R"(
x = h5py.File('a.h5')['x']
assert x.chunks == (20, 10) and x.compression == 'gzip' and x.compression_opts == 4
assert np.load('b.npy').shape == (4, 5)
)");
  CHECK(check_ok(folder.run({"convert", "a.h5:/x", "c.npy", "--dry-run"})) ==
        "convert: float64 (100, 50), peak memory 39.06 KiB\n");
  CHECK(folder.listing() == std::vector<std::string>{"a.h5", "b.npy"});
}
