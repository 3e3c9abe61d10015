#include "cli/render.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/check.hpp"
#include "io/commit.hpp"
#include "io/convert.hpp"

namespace tt::cli {
namespace {

using core::ArrayRef;
using core::DType;

constexpr std::int64_t summarised_above = 1000;  // NumPy's threshold
constexpr std::int64_t edge_items = 3;           // NumPy's edgeitems

enum class Sign { if_negative, always };

template <class T>
T element(const ArrayRef& array, std::int64_t offset) {
  return static_cast<const T*>(array.data)[offset];
}

/// The element of an integer or bool array.
std::string integer_text(const ArrayRef& array, std::int64_t offset) {
  switch (array.dtype) {
    // Read as a byte: a file may hold other values than 0 and 1, which a C++ bool must not.
    case DType::boolean:
      return element<std::uint8_t>(array, offset) != 0 ? "True" : "False";
    case DType::int8:
      return fmt::format("{}", int{element<std::int8_t>(array, offset)});
    case DType::int16:
      return fmt::format("{}", element<std::int16_t>(array, offset));
    case DType::int32:
      return fmt::format("{}", element<std::int32_t>(array, offset));
    case DType::uint8:
      return fmt::format("{}", int{element<std::uint8_t>(array, offset)});
    case DType::uint16:
      return fmt::format("{}", element<std::uint16_t>(array, offset));
    case DType::uint32:
      return fmt::format("{}", element<std::uint32_t>(array, offset));
    case DType::uint64:
      return fmt::format("{}", element<std::uint64_t>(array, offset));
    default:
      return fmt::format("{}", element<std::int64_t>(array, offset));
  }
}

/// The element of a real or complex array; every such dtype fits without rounding.
std::complex<double> float_value(const ArrayRef& array, std::int64_t offset) {
  switch (array.dtype) {
    case DType::float16:
      return io::half_to_double(element<std::uint16_t>(array, offset));
    case DType::float32:
      return element<float>(array, offset);
    case DType::complex64:
      return std::complex<double>(element<std::complex<float>>(array, offset));
    case DType::complex128:
      return element<std::complex<double>>(array, offset);
    default:
      return element<double>(array, offset);
  }
}

/// The dtype of a real or imaginary part: float16, float32 or float64.
DType part_type(DType dtype) {
  return dtype == DType::float16 ? dtype : core::real_type(dtype);
}

/// std::to_chars of a number that is written in at most 64 characters.
template <class... Args>
std::string chars(Args... args) {
  std::array<char, 64> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), args...);
  TT_CHECK_EQ(static_cast<int>(error), 0);
  return {buffer.data(), end};
}

/// The fewest digits that round to `magnitude` in float16. std::to_chars knows no such type, hence
/// the search; five digits are enough for 11 bits.
std::string shortest_half(double magnitude) {
  if (magnitude == 0) return "0e+00";
  const int exponent = std::max(std::ilogb(magnitude), -14);
  const double unit = std::ldexp(1.0, exponent - 10);
  const bool even = std::fmod(magnitude / unit, 2) == 0;
  // The neighbour below a power of two is only half a unit away.
  const bool power = exponent > -14 && magnitude == std::ldexp(1.0, exponent);
  for (int digits = 0;; ++digits) {
    // 2^-6 = 1.5625e-02 lies in the middle of 1.562 and 1.563, of which only the upper comes back:
    // hence also a number a trifle above.
    for (const double start : {magnitude, std::nextafter(magnitude, 1e5)}) {
      std::string text = chars(start, std::chars_format::scientific, digits);
      double back = 0;
      std::from_chars(text.data(), text.data() + text.size(), back);
      const double off = std::abs(back - magnitude);
      const double limit = power && back < magnitude ? unit / 4 : unit / 2;
      if (off < limit || (even && off == limit)) return text;
    }
  }
}

/// The fewest digits that tell a number from its neighbours: d.ddd * 10^exponent.
struct Shortest {
  std::string scientific;  // "1.25e-03"
  std::string digits;      // "125"
  int exponent = 0;        // -3

  int behind_first() const { return static_cast<int>(digits.size()) - 1; }
  int behind_point() const { return std::max(0, behind_first() - exponent); }

  /// Without exponent: "0.00125"; zeros up to the point if the digits end before it.
  std::string positional() const {
    if (exponent < 0)
      return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    std::string text = digits;
    const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
    if (text.size() < whole) text.append(whole - text.size(), '0');
    if (text.size() > whole) text.insert(whole, 1, '.');
    return text;
  }
};

Shortest find_shortest(double value, DType part) {
  const double magnitude = std::abs(value);
  Shortest result;
  if (part == DType::float16)
    result.scientific = shortest_half(magnitude);
  else if (part == DType::float32)
    result.scientific = chars(static_cast<float>(magnitude), std::chars_format::scientific);
  else
    result.scientific = chars(magnitude, std::chars_format::scientific);
  const std::string& text = result.scientific;
  const std::size_t e = text.find('e');
  result.digits = text.substr(0, 1);
  if (e > 1) result.digits += text.substr(2, e - 2);
  const std::size_t number = text[e + 1] == '+' ? e + 2 : e + 1;  // from_chars takes no '+'
  std::from_chars(text.data() + number, text.data() + text.size(), result.exponent);
  return result;
}

std::string sign_text(double value, Sign sign) {
  if (std::signbit(value) && !std::isnan(value)) return "-";
  return sign == Sign::always ? "+" : "";
}

/// The common look of the real numbers of an array, chosen as NumPy's FloatingFormat does: all with
/// or all without exponent, points below each other.
class RealFormat {
 public:
  RealFormat(std::span<const double> values, DType part, int precision, Sign sign)
      : part_(part), precision_(precision), sign_(sign) {
    choose_notation(values);
    bool all_finite = true, negative_infinity = false;
    for (const double value : values) {
      if (std::isfinite(value)) {
        const Parts parts = trimmed(value);
        whole_width_ = std::max(whole_width_, parts.whole.size());
        fraction_width_ = std::max(fraction_width_, parts.fraction.size());
        exponent_width_ = std::max(exponent_width_, parts.exponent.size());
      } else {
        all_finite = false;
        negative_infinity |= std::isinf(value) && value < 0;
      }
    }
    if (all_finite) return;
    // NumPy leaves room for "inf" even if there are only NaNs, and for a sign if it may have one.
    const std::size_t name_width = sign_ == Sign::always || negative_infinity ? 4 : 3;
    const std::size_t behind = width() - whole_width_;
    if (name_width > behind) whole_width_ = std::max(whole_width_, name_width - behind);
  }

  std::string text(double value) const {
    if (!std::isfinite(value)) {
      const std::string name = std::isnan(value) ? "nan" : "inf";
      return fmt::format("{:>{}}", sign_text(value, sign_) + name, width());
    }
    if (!scientific_) {
      const Parts parts = trimmed(value);
      return fmt::format("{:>{}}.{:<{}}", parts.whole, whole_width_, parts.fraction,
                         fraction_width_);
    }
    const Parts parts =
        split(value, find_shortest(value, part_), static_cast<int>(fraction_width_));
    // "e+05" beside "e+100" is written "e+005".
    const std::size_t zeros = exponent_width_ - std::min(exponent_width_, parts.exponent.size());
    return fmt::format("{:>{}}.{}{}{}{}", parts.whole, whole_width_, parts.fraction,
                       parts.exponent.substr(0, 2), std::string(zeros, '0'),
                       parts.exponent.substr(2));
  }

 private:
  /// "-1.25e+05" is "-1", "25", "e+05".
  struct Parts {
    std::string whole, fraction, exponent;
  };

  void choose_notation(std::span<const double> values) {
    double most = 0, least = std::numeric_limits<double>::infinity();
    for (const double value : values) {
      const double magnitude = std::abs(value);
      if (!std::isfinite(value) || magnitude == 0) continue;
      most = std::max(most, magnitude);
      least = std::min(least, magnitude);
    }
    if (most > 0) scientific_ = most >= 1e8 || least < 1e-4 || is_wide(most, least);
  }

  /// Whether the quotient, rounded to the dtype as NumPy's is, exceeds 1000.
  bool is_wide(double most, double least) const {
    if (part_ == DType::float32)
      return static_cast<float>(most) / static_cast<float>(least) > 1000.0F;
    // The float16 behind 1000 is 1000.5, and the middle between them rounds to 1000.
    return most / least > (part_ == DType::float16 ? 1000.25 : 1000.0);
  }

  Parts split(double value, const Shortest& shortest, int fraction_digits) const {
    const std::string text = digits_text(std::abs(value), shortest, fraction_digits);
    const std::size_t e = std::min(text.find('e'), text.size());
    const std::size_t point = std::min(text.find('.'), e);
    return {sign_text(value, sign_) + text.substr(0, point),
            point < e ? text.substr(point + 1, e - point - 1) : "", text.substr(e)};
  }

  std::string digits_text(double magnitude, const Shortest& shortest, int fraction_digits) const {
    // The shortest digits need not be the nearest: 2^-44 is 5.684341886080802e-14, though a little
    // nearer to ...801e-14, which is another number.
    if (scientific_)
      return fraction_digits == shortest.behind_first()
                 ? shortest.scientific
                 : chars(magnitude, std::chars_format::scientific, fraction_digits);
    // NumPy's digits before the point are exact.
    return fraction_digits > 0 && fraction_digits == shortest.behind_point()
               ? shortest.positional()
               : chars(magnitude, std::chars_format::fixed, fraction_digits);
  }

  /// Neither more digits than the number needs nor than asked for, nor zeros at the end.
  Parts trimmed(double value) const {
    const Shortest shortest = find_shortest(value, part_);
    const int needed = scientific_ ? shortest.behind_first() : shortest.behind_point();
    Parts parts = split(value, shortest, std::min(needed, precision_));
    parts.fraction.erase(parts.fraction.find_last_not_of('0') + 1);
    return parts;
  }

  std::size_t width() const { return whole_width_ + 1 + fraction_width_ + exponent_width_; }

  DType part_;
  int precision_;
  Sign sign_;
  bool scientific_ = false;
  std::size_t whole_width_ = 0, fraction_width_ = 0, exponent_width_ = 0;
};

/// Which items of an axis are printed: all, or the first and last three.
struct ShownItems {
  std::int64_t extent = 0;
  std::int64_t count = 0;

  ShownItems(std::int64_t extent_, bool summarise)
      : extent(extent_), count(summarise ? std::min(extent_, 2 * edge_items) : extent_) {}
  std::int64_t index(std::int64_t i) const { return i < edge_items ? i : extent - count + i; }
  bool gap_before(std::int64_t i) const { return count < extent && i == edge_items; }
};

/// Appends the offsets of the printed elements, in the order in which they are printed.
void collect_offsets(const ArrayRef& array, bool summarise, std::size_t axis, std::int64_t offset,
                     std::vector<std::int64_t>& offsets) {
  if (axis == array.shape.size()) {
    offsets.push_back(offset);
    return;
  }
  const ShownItems items(array.shape[axis], summarise);
  for (std::int64_t i = 0; i < items.count; ++i)
    collect_offsets(array, summarise, axis + 1, offset + items.index(i) * array.strides[axis],
                    offsets);
}

std::vector<std::string> integer_cells(const ArrayRef& array,
                                       std::span<const std::int64_t> offsets) {
  std::vector<std::string> cells;
  // NumPy writes " True" even where no False stands beside it, except for a 0-d array.
  std::size_t width = array.dtype == DType::boolean && !array.shape.empty() ? 5 : 0;
  for (const std::int64_t offset : offsets) {
    cells.push_back(integer_text(array, offset));
    width = std::max(width, cells.back().size());
  }
  for (std::string& cell : cells) cell.insert(0, width - cell.size(), ' ');
  return cells;
}

std::vector<std::string> float_cells(const ArrayRef& array, std::span<const std::int64_t> offsets,
                                     int precision) {
  const bool complex = core::is_complex(array.dtype);
  const DType part = part_type(array.dtype);
  std::vector<double> real, imag;
  for (const std::int64_t offset : offsets) {
    const std::complex<double> value = float_value(array, offset);
    real.push_back(value.real());
    if (complex) imag.push_back(value.imag());
  }
  const RealFormat real_format(real, part, precision, Sign::if_negative);
  const RealFormat imag_format(imag, part, precision, Sign::always);
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < real.size(); ++i) {
    std::string cell = real_format.text(real[i]);
    if (complex) {
      cell += imag_format.text(imag[i]);
      cell.insert(cell.find_last_not_of(' ') + 1, 1, 'j');
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

/// Sets the cells between brackets, line by line.
class Layout {
 public:
  Layout(const core::Shape& shape, bool summarise, std::size_t columns,
         std::vector<std::string> cells)
      : shape_(shape), summarise_(summarise), columns_(columns), cells_(std::move(cells)) {}

  /// The next sub-array over the axes from `axis` on; takes its cells from the list.
  std::string block(std::size_t axis) {
    const std::size_t axes_left = shape_.size() - axis;
    if (axes_left == 0) return cells_[next_cell_++];
    if (axes_left == 1) return row(axis);
    const std::string separator = std::string(axes_left - 1, '\n') + std::string(axis + 1, ' ');
    const ShownItems items(shape_[axis], summarise_);
    std::string text = "[";
    for (std::int64_t i = 0; i < items.count; ++i) {
      if (i > 0) text += separator;
      if (items.gap_before(i)) text += "..." + separator;
      text += block(axis + 1);
    }
    return text + "]";
  }

 private:
  std::string row(std::size_t axis) {
    const std::size_t indent = axis + 1;
    std::string done, line(indent, ' ');
    const auto append = [&](const std::string& word) {
      // One column for each bracket that may follow; a word that is too long even for a line of its
      // own is not moved to one.
      if (line.size() + word.size() + indent > columns_ && line.size() > indent) {
        done += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        line.assign(indent, ' ');
      }
      line += word;
    };
    const ShownItems items(shape_[axis], summarise_);
    for (std::int64_t i = 0; i < items.count; ++i) {
      if (i > 0) line += ' ';
      if (items.gap_before(i)) {
        append("...");
        line += ' ';
      }
      append(cells_[next_cell_++]);
    }
    return '[' + (done + line).substr(indent) + ']';
  }

  const core::Shape& shape_;
  bool summarise_;
  std::size_t columns_;
  std::vector<std::string> cells_;
  std::size_t next_cell_ = 0;
};

/// Python's digits of one part. `point` is what a whole number gets appended: ".0" or nothing.
std::string python_text(double value, DType part, Sign sign, const std::string& point) {
  const std::string prefix = sign_text(value, sign);
  if (std::isnan(value)) return prefix + "nan";
  if (std::isinf(value)) return prefix + "inf";
  const Shortest shortest = find_shortest(value, part);
  if (shortest.exponent < -4 || shortest.exponent >= 16) return prefix + shortest.scientific;
  return prefix + shortest.positional() + (shortest.behind_point() == 0 ? point : "");
}

}  // namespace

std::string render_array(const ArrayRef& array, const RenderOptions& options) {
  constexpr std::int64_t beyond_count = std::numeric_limits<std::int64_t>::max();
  const std::int64_t count = core::checked_count(array.shape).value_or(beyond_count);
  if (count == 0) return "[]";
  const bool summarise = !options.full && count > summarised_above;
  std::vector<std::int64_t> offsets;
  collect_offsets(array, summarise, 0, 0, offsets);
  std::vector<std::string> cells = core::is_integer(array.dtype)
                                       ? integer_cells(array, offsets)
                                       : float_cells(array, offsets, options.precision);
  return Layout(array.shape, summarise, options.columns, std::move(cells)).block(0);
}

std::string render_scalar(const ArrayRef& scalar) {
  TT_CHECK_EQ(scalar.shape.size(), std::size_t{0});
  if (core::is_integer(scalar.dtype)) return integer_text(scalar, 0);
  const std::complex<double> value = float_value(scalar, 0);
  const DType part = part_type(scalar.dtype);
  if (!core::is_complex(scalar.dtype))
    return python_text(value.real(), part, Sign::if_negative, ".0");
  // Python leaves out a real part that is +0, but not -0.
  if (value.real() == 0 && !std::signbit(value.real()))
    return python_text(value.imag(), part, Sign::if_negative, "") + "j";
  return "(" + python_text(value.real(), part, Sign::if_negative, "") +
         python_text(value.imag(), part, Sign::always, "") + "j)";
}

void print_text(const std::string& text) {
  const char* at = text.data();
  for (std::size_t left = text.size(); left > 0;) {
    const ssize_t written = write(STDOUT_FILENO, at, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) io::throw_io_error("cannot write", "standard output", errno);
    at += written;
    left -= static_cast<std::size_t>(written);
  }
}

}  // namespace tt::cli
