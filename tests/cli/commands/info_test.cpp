// info: what the files of others hold.
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/python.hpp"
#include "tests/support/run_tt.hpp"

using namespace tt::test;
using Json = nlohmann::json;

TEST_CASE("members with type, shape, order, chunks, filters, attributes, bytes") {
  TtFolder folder;
  run_python(folder.path(), R"(
np.save('a.npy', np.asfortranarray(np.zeros((3, 4), '>f4')))
np.savez_compressed('b.npz', x=np.zeros(5, 'i2'), y=np.array(1j))
with h5py.File('c.h5', 'w') as f:
    d = f.create_dataset('g/x', data=np.zeros((10, 20)), chunks=(5, 10), compression='gzip')
    d.attrs['unit'] = 'm'
    d.attrs['step'] = 3
)");
  const Json list = Json::parse(check_ok(folder.run({"info", "a.npy", "b.npz", "c.h5", "--json"})));
  REQUIRE(list.size() == 3);
  CHECK(list[0]["format"] == "npy");
  const Json& a = list[0]["members"][0];
  CHECK(a["dtype"] == "float32");
  CHECK(a["shape"] == Json({3, 4}));
  CHECK(a["order"] == "F");
  CHECK(a["byte_order"] == "big");
  CHECK(a["bytes"] == 48);
  CHECK(list[1]["file"] == "b.npz");
  CHECK(list[1]["members"][0]["path"] == "x");
  CHECK(list[1]["members"][0]["dtype"] == "int16");
  CHECK(list[1]["members"][1]["shape"] == Json::array());
  const Json& x = list[2]["members"][0];
  CHECK(x["path"] == "/g/x");
  CHECK(x["chunks"] == Json({5, 10}));
  CHECK(x["filters"] == Json({"gzip 4"}));
  CHECK(x["attributes"] == Json({{"unit", "m"}, {"step", 3}}));
}

TEST_CASE("the text form") {
  TtFolder folder;
  check_ok(folder.run({"convert", "@arange:2x3", "a.npy"}));
  CHECK(check_ok(folder.run({"info", "a.npy"})) ==
        "a.npy (npy)\n"
        "  -                    float64     (2, 3)             48 bytes\n");
  const std::string bytes = read_file(folder.file("a.npy"));
  CHECK(check_ok(folder.run({"info", "-"}, {.input = bytes})) ==
        "- (npy)\n"
        "  -                    float64     (2, 3)             48 bytes\n");
}
