#include "io/npy_header.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/error.hpp"

using namespace tt;
using namespace tt::io;

namespace {

/// Magic, version, length and the text of a header.
std::string header(const std::string& text, int major = 1) {
  std::string bytes(npy_magic);
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(text.size() >> 8 * i & 255);
  return bytes + text;
}

std::string described(const std::string& text, int major = 1) {
  const NpyHeader parsed = parse_npy_header(header(text, major), "a.npy");
  std::string out(core::dtype_name(parsed.info.dtype));
  out.append(parsed.info.big_endian ? " big " : " little ");
  out.append(parsed.info.fortran_order ? "F " : "C ");
  return out.append(core::shape_text(parsed.info.shape));
}

void check_refused(const std::string& bytes, const std::string& words = "") {
  CAPTURE(bytes);
  try {
    parse_npy_header(bytes, "a.npy");
    FAIL("accepted");
  } catch (const core::Error& error) {
    CHECK(error.category() == core::Category::data);
    CHECK(std::string(error.what()).find("a.npy") != std::string::npos);
    CHECK(std::string(error.what()).find(words) != std::string::npos);
  }
}

std::string with(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

}  // namespace

TEST_CASE("headers as NumPy and others write them") {
  CHECK(described(with("'<f8'", "False", "(3, 4)")) == "float64 little C (3, 4)");
  CHECK(described(with("'>c16'", "True", "()")) == "complex128 big F ()");
  CHECK(described(with("'|b1'", "False", "(5,)")) == "bool little C (5,)");
  CHECK(described(with("'>i1'", "False", "(0,)")) == "int8 little C (0,)");
  CHECK(described("{'shape':(2,3),'fortran_order':False,'descr':'<f4'}\n") ==
        "float32 little C (2, 3)");
  CHECK(
      described(" {\"descr\" : \"<u2\" , 'fortran_order' : False , 'shape' : ( 2L , 3L ) , } \n") ==
      "uint16 little C (2, 3)");
  CHECK(described(with("'<f2'", "False", "(1,)"), 2) == "float16 little C (1,)");
  CHECK(described(with("'=i8'", "False", "(1,)"), 3) == "int64 little C (1,)");
}

TEST_CASE("headers that describe nothing we can count are refused") {
  const std::string good = with("'<f8'", "False", "(3,)");
  check_refused("", "magic");
  check_refused("\x93NUMPX", "magic");
  check_refused(header(good, 4), "version");
  check_refused(header(good).substr(0, 30), "cut short");
  check_refused(header(with("'<f8'", "False", "(-1,)")), "extent");
  check_refused(header(with("'<f8'", "False", "(99999999999999999999,)")), "64 bits");
  check_refused(header(with("'<f8'", "False", "(4611686018427387904, 4)")), "64 bits");
  check_refused(header(with("'<f8'", "False", "(0, 1099511627776, 1099511627776)")), "64 bits");
  check_refused(header(with("'<f8'", "False", "(1.5,)")), "tuple");
  check_refused(header(with("'<f8'", "False", "10")), "malformed");
  check_refused(header(with("'<f8'", "False", "((10,),)")), "tuple");
  check_refused(header(with("'<f8'", "None", "(3,)")), "fortran_order");
  check_refused(header(with("'|O'", "False", "(3,)")), "pickle");
  check_refused(header(with("'<U5'", "False", "(3,)")), "<U5");
  check_refused(header(with("'<f16'", "False", "(3,)")), "<f16");
  check_refused(header(with("'f'", "False", "(3,)")), "'f'");
  check_refused(header(with("[('x', '<f8')]", "False", "(3,)")), "structured");
  check_refused(header("{'descr': '<f8', 'shape': (3,)}\n"), "missing");
  check_refused(header("{'descr': '<f8', 'descr': '<f8', 'shape': (3,)}\n"), "twice");
  check_refused(header("{'more': 1}\n"), "key");
  check_refused(header(good + "+ 1"), "behind");
  check_refused(header("\n\n\n\n"), "malformed");
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1, ";
  check_refused(header(with("'<f8'", "False", many + ")")), "dimensions");
}

TEST_CASE("written headers are NumPy's: 64 bytes aligned, C order, version 1") {
  CHECK(format_npy_header(core::DType::float64, {3, 4}) ==
        header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }" +
               std::string(58, ' ') + "\n"));
  for (const core::Shape& shape : {core::Shape{}, core::Shape{7}, core::Shape(64, 1)}) {
    const std::string bytes = format_npy_header(core::DType::boolean, shape);
    CHECK(bytes.size() % 64 == 0);
    const NpyHeader parsed = parse_npy_header(bytes, "");
    CHECK(parsed.bytes == bytes.size());
    CHECK(parsed.info.shape == shape);
    CHECK(parsed.info.dtype == core::DType::boolean);
  }
}
