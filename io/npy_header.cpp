#include "io/npy_header.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>

#include "core/error.hpp"

namespace tt::io {
namespace {

using core::Category;
using core::DType;
using core::Error;

constexpr std::size_t rank_max = 64;               // NumPy 2's
constexpr std::size_t header_bytes_max = 1 << 20;  // NumPy itself reads 10000
constexpr bool machine_is_big = std::endian::native == std::endian::big;

[[noreturn]] void refuse(std::string wrong, const std::string& name) {
  throw Error(Category::data, std::move(wrong), name, "an .npy file of numbers");
}

/// A scanner over the Python dictionary of the header: strings, True and False, tuples of integers.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  bool accept(char c) {
    skip_blanks();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed(fmt::format("'{}' expected", c));
  }
  bool at_end() {
    skip_blanks();
    return text_.empty();
  }
  bool next_is(char c) {
    skip_blanks();
    return text_.starts_with(c);
  }

  std::string_view string() {
    skip_blanks();
    if (text_.starts_with('u') || text_.starts_with('b')) text_.remove_prefix(1);
    const char quote = text_.starts_with('"') ? '"' : '\'';
    expect(quote);
    const auto end = text_.find(quote);
    if (end == std::string_view::npos) malformed("a string is not closed");
    const std::string_view inside = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return inside;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return word == "True";
    }
    malformed("fortran_order is neither True nor False");
  }

  core::Shape shape() {
    core::Shape shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(extent());
      if (shape.size() > rank_max) refuse(fmt::format("more than {} dimensions", rank_max), name_);
      if (!accept(',') && !next_is(')')) malformed("the shape is no tuple of integers");
    }
    return shape;
  }

  [[noreturn]] void malformed(std::string_view what) {
    refuse(fmt::format("the NPY header is malformed ({})", what), name_);
  }

 private:
  void skip_blanks() {
    const auto first = text_.find_first_not_of(" \t\r\n");
    text_.remove_prefix(std::min(first, text_.size()));
  }

  std::int64_t extent() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) malformed("an extent beyond 64 bits");
    if (error != std::errc{}) malformed("the shape is no tuple of integers");
    if (value < 0) malformed(fmt::format("an extent of {}", value));
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    if (text_.starts_with('L')) text_.remove_prefix(1);  // Python 2 wrote 3L
    return value;
  }

  std::string_view text_;
  const std::string& name_;
};

/// "<f8" -> float64, little-endian.
void parse_descr(std::string_view descr, ArrayInfo& info, const std::string& name) {
  std::string_view code = descr;
  bool big = machine_is_big;
  if (!code.empty() && std::string_view("<>|=").find(code.front()) != std::string_view::npos) {
    if (code.front() == '<') big = false;
    if (code.front() == '>') big = true;
    code.remove_prefix(1);
  }
  if (code.starts_with('O')) refuse("an array of Python objects (a pickle) is never opened", name);
  static constexpr struct {
    std::string_view code;
    DType dtype;
  } codes[] = {
      {"?", DType::boolean},  {"b1", DType::boolean},   {"i1", DType::int8},
      {"i2", DType::int16},   {"i4", DType::int32},     {"i8", DType::int64},
      {"u1", DType::uint8},   {"u2", DType::uint16},    {"u4", DType::uint32},
      {"u8", DType::uint64},  {"f2", DType::float16},   {"f4", DType::float32},
      {"f8", DType::float64}, {"c8", DType::complex64}, {"c16", DType::complex128},
  };
  for (const auto& known : codes) {
    if (known.code != code) continue;
    info.dtype = known.dtype;
    info.big_endian = big && core::dtype_bytes(known.dtype) > 1;
    return;
  }
  refuse(fmt::format("the element type '{}' is not supported", descr), name);
}

/// Bytes of all elements; refuses what no file can hold, also when a zero hides it.
std::uint64_t count_bytes(const ArrayInfo& info, const std::string& name) {
  std::int64_t bytes = static_cast<std::int64_t>(core::dtype_bytes(info.dtype));
  bool empty = false;
  for (const std::int64_t extent : info.shape) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
      refuse(fmt::format("the shape {} has more bytes than 64 bits count",
                         core::shape_text(info.shape)),
             name);
  }
  return empty ? 0 : static_cast<std::uint64_t>(bytes);
}

ArrayInfo parse_dictionary(std::string_view text, const std::string& name) {
  Scanner scan(text, name);
  ArrayInfo info;
  bool has_descr = false, has_order = false, has_shape = false;
  const auto once = [&](bool& seen) {
    if (std::exchange(seen, true)) scan.malformed("a key is given twice");
  };
  scan.expect('{');
  while (!scan.accept('}')) {
    const std::string_view key = scan.string();
    scan.expect(':');
    if (key == "descr") {
      once(has_descr);
      if (scan.next_is('[')) refuse("a structured array is not supported", name);
      parse_descr(scan.string(), info, name);
    } else if (key == "fortran_order") {
      once(has_order);
      info.fortran_order = scan.boolean();
    } else if (key == "shape") {
      once(has_shape);
      info.shape = scan.shape();
    } else {
      scan.malformed("a key that is none of descr, fortran_order, shape");
    }
    if (!scan.accept(',') && !scan.next_is('}')) scan.malformed("',' or '}' expected");
  }
  if (!scan.at_end()) scan.malformed("text behind the dictionary");
  if (!has_descr || !has_order || !has_shape) scan.malformed("a key is missing");
  return info;
}

std::string_view descr_code(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return "b1";
    case DType::int8:
      return "i1";
    case DType::int16:
      return "i2";
    case DType::int32:
      return "i4";
    case DType::int64:
      return "i8";
    case DType::uint8:
      return "u1";
    case DType::uint16:
      return "u2";
    case DType::uint32:
      return "u4";
    case DType::uint64:
      return "u8";
    case DType::float16:
      return "f2";
    case DType::float32:
      return "f4";
    case DType::float64:
      return "f8";
    case DType::complex64:
      return "c8";
    case DType::complex128:
      return "c16";
  }
  return "";
}

}  // namespace

std::size_t npy_header_bytes(std::string_view prefix, const std::string& name) {
  if (!prefix.starts_with(npy_magic)) refuse("not an NPY array (the magic bytes differ)", name);
  if (prefix.size() < npy_prefix_bytes) refuse("the NPY header is cut short", name);
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(prefix[i])};
  };
  const std::size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0)
    refuse(fmt::format("NPY version {}.{} is unknown", major, byte(7)), name);
  const std::size_t length = major == 1 ? byte(8) | byte(9) << 8
                                        : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  const std::size_t bytes = (major == 1 ? 10 : 12) + length;
  if (bytes > header_bytes_max) refuse(fmt::format("an NPY header of {} bytes", bytes), name);
  if (bytes < npy_prefix_bytes) refuse("the NPY header is empty", name);
  return bytes;
}

NpyHeader parse_npy_header(std::string_view header, const std::string& name) {
  NpyHeader result;
  result.bytes = npy_header_bytes(header.substr(0, npy_prefix_bytes), name);
  if (header.size() < result.bytes) refuse("the NPY header is cut short", name);
  const std::size_t start = header[6] == 1 ? 10 : 12;
  result.info = parse_dictionary(header.substr(start, result.bytes - start), name);
  result.info.stored_bytes = count_bytes(result.info, name);
  return result;
}

std::string format_npy_header(DType dtype, const core::Shape& shape) {
  const char order = core::dtype_bytes(dtype) == 1 ? '|' : machine_is_big ? '>' : '<';
  const std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}",
                                       order, descr_code(dtype), core::shape_text(shape));
  constexpr std::size_t start = 10;  // rank_max extents of 19 digits fit the 16-bit length
  const std::size_t bytes = (start + text.size() + 1 + 63) / 64 * 64;
  const std::size_t length = bytes - start;
  std::string header(npy_magic);
  header += {1, 0, static_cast<char>(length & 255), static_cast<char>(length >> 8)};
  header += text;
  header.append(bytes - header.size() - 1, ' ');
  return header + '\n';
}

}  // namespace tt::io
