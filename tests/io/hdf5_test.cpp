#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
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

void store(const std::string& target, const io::SinkOptions& options, const core::ArrayRef& array) {
  const auto sink = io::open_target(target, options);
  sink->declare({{"C", array.dtype, array.shape}});
  sink->write("C", array);
  sink->commit();
}

const double numbers[] = {0, 1, 2, 3, 4, 5};
const core::ArrayRef two_by_three = {numbers, DType::float64, {2, 3}, {3, 1}};

}  // namespace

TEST_CASE("datasets as h5py writes them") {
  const TempDir dir;
  // Every dataset has its twin in an .npy file.
  run_python(dir.path(), R"(
r = np.random.RandomState(2)
f = h5py.File('a.h5', 'w')
def put(name, a, stored=None, **options):
    f.create_dataset(name, data=a if stored is None else stored, **options); np.save(name + '.npy', a)
a = r.standard_normal((40, 30))
for t in 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64'.split():
    put(t, (a * 9).astype(t) if t != 'bool' else a > 0)
for t in ('complex64', 'complex128'):
    put(t, (a + 1j * a[::-1]).astype(t))
    put(t + '_big', (a + 1j * a[::-1]).astype(t), (a + 1j * a[::-1]).astype(t).astype('>c%d' % np.dtype(t).itemsize))
for t in ('int16', 'float16', 'float64'):
    put(t + '_big', a.astype(t), a.astype('>' + np.dtype(t).str[1:]))
put('chunked', a, chunks=(7, 11)); put('gzip', a, chunks=(16, 16), compression='gzip')
put('shuffle', (a * 9).astype('i4'), chunks=(16, 16), compression='gzip', shuffle=True)
put('fletcher', a, chunks=(8, 30), fletcher32=True); put('lzf', np.round(a), chunks=(8, 30), compression='lzf')
put('lzf_noise', a, chunks=(8, 30), compression='lzf'); put('grow', a, maxshape=(None, 30), chunks=True)
put('scalar', np.float64(2.5)); put('empty', np.zeros((0, 3)))
f.create_dataset('fill', (4, 5), 'f8', chunks=(2, 2), fillvalue=7.5); np.save('fill.npy', np.full((4, 5), 7.5))
f.create_dataset('late', (4, 5), 'f8', fillvalue=2.5); np.save('late.npy', np.full((4, 5), 2.5))
f.close()
open('names', 'w').write('\n'.join(sorted(h5py.File('a.h5', 'r'))))
)");
  std::string names = read_file(dir.file("names"));
  CHECK(std::ranges::count(names, '\n') > 25);
  while (!names.empty()) {
    const auto end = std::min(names.find('\n'), names.size());
    const std::string name = names.substr(0, end);
    names.erase(0, end + 1);
    CAPTURE(name);
    const std::string dataset = dir.file("a.h5:/" + name), twin = dir.file(name + ".npy");
    const Loaded whole = load(twin);
    CHECK(load(dataset) == whole);
    // Another type, slab by slab; and selections of all kinds.
    if (!core::is_complex(whole.dtype))
      CHECK(load_as(dataset, DType::float64) == load_as(twin, DType::float64));
    if (whole.shape.size() != 2) continue;
    for (const char* selection : {"[1:3]", "[::-1,::2]", "[...,-1]", "[1:1]", "[-1:0:-2,2:]"}) {
      if (whole.shape[0] == 0 && std::string(selection) == "[...,-1]") continue;
      CAPTURE(selection);
      CHECK(load(dataset + selection) == load(twin + selection));
      CHECK(load_as(dataset + selection, DType::complex128) ==
            load_as(twin + selection, DType::complex128));
    }
  }
  CHECK(io::open_operand(dir.file("a.h5:/float64"))->load_bytes(DType::float64) == 0);
  CHECK(io::open_operand(dir.file("a.h5:/gzip[1:3,::7]"))->load_bytes(DType::float64) == 80);
}

TEST_CASE("links, candidates and what is refused") {
  const TempDir dir;
  run_python(dir.path(), R"(
a = np.arange(6.0).reshape(2, 3); np.save('x.npy', a)
with h5py.File('other.h5', 'w') as g: g['x'] = a
with h5py.File('a.h5', 'w') as f:
    f['g/x'] = a; f['soft'] = h5py.SoftLink('/g/x'); f['group'] = h5py.SoftLink('/g')
    f['out'] = h5py.ExternalLink('other.h5', '/x'); f['far'] = h5py.ExternalLink('/etc/other.h5', '/x')
    f['dangling'] = h5py.SoftLink('/nowhere'); f['loop1'] = h5py.SoftLink('/loop2'); f['loop2'] = h5py.SoftLink('/loop1')
    f['g/up'] = f['/']; f['null'] = h5py.Empty('f8'); f['text'] = 'text'
    f['pair'] = np.zeros(3, dtype=[('x', 'f8'), ('y', 'f8')])
    f.create_dataset('strange name: [1]', data=a)
with h5py.File('one.h5', 'w') as f: f['s'] = 'text'; f['n/x'] = a
with h5py.File('none.h5', 'w') as f: f.create_group('g')
l = h5py.VirtualLayout((1, 2, 3), 'f8'); l[0] = h5py.VirtualSource('other.h5', 'x', (2, 3))
m = h5py.VirtualLayout((1, 2, 3), 'f8'); m[0] = h5py.VirtualSource('gone.h5', 'x', (2, 3))
with h5py.File('v.h5', 'w') as f: f.create_virtual_dataset('v', l); f.create_virtual_dataset('w', m)
)");
  const Loaded x = load(dir.file("x.npy"));
  for (const char* path :
       {"/g/x", "g/x", "/soft", "/group/x", "/out", "/g/up/g/x", "/strange name: [1]"}) {
    CAPTURE(path);
    // The brackets of a name need the empty selection behind them to be told from one.
    const std::string suffix = std::string(path).ends_with("]") ? "[:]" : "";
    CHECK(load(dir.file(std::string("a.h5:") + path + suffix)).bytes == x.bytes);
  }
  CHECK(load(dir.file("one.h5")) == x);
  CHECK(load(dir.file("v.h5:/v[0]")) == x);
  check_refused(dir.file("v.h5:/w"), Category::data, {"gone.h5"});
  check_refused(dir.file("a.h5"), Category::usage, {"/g/x", "/strange name"});
  check_refused(dir.file("none.h5"), Category::data, {"no dataset"});
  check_refused(dir.file("a.h5:/g/y"), Category::data, {"'/g/y'", "/g/x"});
  check_refused(dir.file("a.h5:/g/x/y"), Category::data, {"'/g/x/y'"});
  check_refused(dir.file("a.h5:/g"), Category::data, {"group", "/g/x"});
  check_refused(dir.file("a.h5:/dangling"), Category::data, {"'/dangling'"});
  check_refused(dir.file("a.h5:/loop1"), Category::data, {"'/loop1'"});
  check_refused(dir.file("a.h5:/far"), Category::data, {"'/far'", "folder"});
  check_refused(dir.file("a.h5:/null"), Category::data, {"null"});
  check_refused(dir.file("a.h5:/text"), Category::data, {"string"});
  check_refused(dir.file("a.h5:/pair"), Category::data, {"compound"});
}

TEST_CASE("info shows storage and attributes") {
  const TempDir dir;
  run_python(dir.path(), R"(
with h5py.File('a.h5', 'w') as f:
    d = f.create_dataset('g/x', data=np.zeros((20, 30), '>f4'), chunks=(10, 30), compression='gzip', compression_opts=5, shuffle=True)
    d.attrs['unit'] = 'm "s'; d.attrs['n'] = 3; d.attrs['v'] = [1.5, np.nan]; d.attrs['b'] = True
)");
  const io::FileInfo info = io::inspect(dir.file("a.h5"));
  REQUIRE(info.members.size() == 1);
  const io::ArrayInfo& x = info.members[0];
  CHECK(x.path == "/g/x");
  CHECK(x.big_endian);
  CHECK(x.chunks == core::Shape{10, 30});
  CHECK(x.filters == std::vector<std::string>{"shuffle", "gzip 5"});
  CHECK(x.attributes ==
        std::vector<std::pair<std::string, std::string>>{
            {"b", "true"}, {"n", "3"}, {"unit", "\"m \\\"s\""}, {"v", "[1.5, null]"}});
}

TEST_CASE("results join an existing file, which keeps all it had") {
  const TempDir dir;
  run_python(dir.path(), R"(
with h5py.File('k.h5', 'w') as f:
    f['g/x'] = np.arange(1000); f['g'].attrs['unit'] = 'm'; f['C'] = np.ones((2, 3)); f['C'].attrs['n'] = 1
    f['D'] = np.zeros(5); f['link'] = h5py.SoftLink('/g/x')
)");
  const std::string file = dir.file("k.h5");
  store(file + ":/C", {}, two_by_three);      // same shape and type: written over
  store(file + ":/D", {}, two_by_three);      // another shape: replaced
  store(file + ":/a/b/c", {}, two_by_three);  // groups are made
  io::SinkOptions packed;
  packed.compress = 4;
  packed.chunks = {1, 3};
  store(file + ":/packed", packed, two_by_three);
  store(file + ":/transposed", {}, {numbers, DType::float64, {3, 2}, {1, 3}});
  run_python(dir.path(), R"(
a = np.arange(6.0).reshape(2, 3)
with h5py.File('k.h5', 'r') as f:
    assert (f['g/x'][()] == np.arange(1000)).all() and f['g'].attrs['unit'] == 'm'
    assert isinstance(f.get('link', getlink=True), h5py.SoftLink)
    for p in ('C', 'D', 'a/b/c', 'packed'): assert (f[p][()] == a).all(), p
    assert f['C'].attrs['n'] == 1 and (f['transposed'][()] == a.T).all()
    assert f['packed'].compression == 'gzip' and f['packed'].chunks == (1, 3)
)");
  CHECK(dir.entries() == 1);
}

TEST_CASE("several results go into a group") {
  const TempDir dir;
  const auto sink = io::open_target(dir.file("c.h5:/run"), {});
  sink->declare({{"Q", DType::float64, {2, 3}}, {"R", DType::float64, {2, 3}}});
  sink->write("Q", two_by_three);
  sink->write("R", two_by_three);
  sink->commit();
  CHECK(load(dir.file("c.h5:/run/Q")) == load(dir.file("c.h5:/run/R")));
}

TEST_CASE("in place the file stays the same file") {
  const TempDir dir;
  const std::string file = dir.file("c.h5");
  store(file + ":/A", {}, two_by_three);
  REQUIRE(link(file.c_str(), dir.file("other name").c_str()) == 0);
  io::SinkOptions in_place;
  in_place.in_place = true;
  store(file + ":/B", in_place, two_by_three);
  CHECK(load(dir.file("other name:/B")).shape == core::Shape{2, 3});
}

TEST_CASE("targets that cannot be are refused before anything is written") {
  const TempDir dir;
  const std::string file = dir.file("c.h5");
  store(file + ":/g/A", {}, two_by_three);
  const std::string old = read_file(file);
  const auto refused = [&](const std::string& target, const io::SinkOptions& options) {
    CAPTURE(target);
    const auto sink = io::open_target(target, options);
    try {
      sink->declare({{"C", DType::float64, {2, 3}}});
      FAIL("accepted");
    } catch (const core::Error& error) {
      CHECK(std::string(error.what()).find(target.substr(0, target.find(':'))) !=
            std::string::npos);
    }
  };
  refused(file + ":/g/A/below", {});
  refused(file + ":/g", {});
  io::SinkOptions chunks;
  chunks.chunks = {2};
  refused(file + ":/new", chunks);
  write_file(dir.file("text.h5"), "hello");
  refused(dir.file("text.h5") + ":/x", {});
  CHECK(read_file(file) == old);
  CHECK(read_file(dir.file("text.h5")) == "hello");
  CHECK(dir.entries() == 2);
}
