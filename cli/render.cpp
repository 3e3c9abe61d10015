#include "cli/render.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <complex>
#include <vector>

#include <fmt/format.h>

#include "io/commit.hpp"
#include "io/convert.hpp"

namespace tt::cli {
namespace {

constexpr std::int64_t summarised_above = 1000, edge = 3;
constexpr std::size_t line_columns = 75;

/// Python's text of a double: "14.0", "1e+20", "nan".
std::string shortest(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double size = std::abs(value);
  std::string text = size != 0 && (size < 1e-4 || size >= 1e16) ? fmt::format("{:e}", value) : "";
  if (!text.empty()) {
    for (int digits = 0; digits < 17; ++digits) {
      text = fmt::format("{:.{}e}", value, digits);
      if (std::stod(text) == value) break;
    }
    return text;
  }
  text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string shortest(float value) {
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// The scalar of any dtype at an address.
class Element {
 public:
  Element(const void* at, core::DType dtype) : at_(at), dtype_(dtype) {}

  bool whole() const { return core::is_integer(dtype_); }
  bool complex() const { return core::is_complex(dtype_); }
  bool narrow() const { return dtype_ == core::DType::float32 || dtype_ == core::DType::complex64; }

  std::string integer_text() const {
    using core::DType;
    switch (dtype_) {
      case DType::boolean:
        return get<std::uint8_t>() ? "True" : "False";
      case DType::int8:
        return fmt::format("{}", int{get<std::int8_t>()});
      case DType::int16:
        return fmt::format("{}", get<std::int16_t>());
      case DType::int32:
        return fmt::format("{}", get<std::int32_t>());
      case DType::uint8:
        return fmt::format("{}", int{get<std::uint8_t>()});
      case DType::uint16:
        return fmt::format("{}", get<std::uint16_t>());
      case DType::uint32:
        return fmt::format("{}", get<std::uint32_t>());
      case DType::uint64:
        return fmt::format("{}", get<std::uint64_t>());
      default:
        return fmt::format("{}", get<std::int64_t>());
    }
  }

  std::complex<double> value() const {
    using core::DType;
    switch (dtype_) {
      case DType::float16:
        return io::half_to_double(get<std::uint16_t>());
      case DType::float32:
        return get<float>();
      case DType::complex64:
        return std::complex<double>(get<std::complex<float>>());
      case DType::complex128:
        return get<std::complex<double>>();
      default:
        return get<double>();
    }
  }

 private:
  template <class T>
  const T& get() const {
    return *static_cast<const T*>(at_);
  }

  const void* at_;
  core::DType dtype_;
};

/// How the real numbers of one array print: all fixed or all in exponent form, with one number of
/// digits, as NumPy chooses.
class RealFormat {
 public:
  RealFormat(const std::vector<double>& values, int precision) {
    double most = 0, least = INFINITY;
    for (const double v : values)
      if (std::isfinite(v) && v != 0) {
        most = std::max(most, std::abs(v));
        least = std::min(least, std::abs(v));
      }
    // NumPy's rule: exponents for very large or very small numbers, or a wide range of both.
    exponent_ = most > 0 && (most >= 1e8 || least < 1e-4 || most / least > 1e3);
    for (const double v : values) digits_ = std::max(digits_, digits_of(v, precision));
  }

  std::string text(double v) const {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    std::string s =
        exponent_ ? fmt::format("{:.{}e}", v, digits_) : fmt::format("{:.{}f}", v, digits_);
    if (digits_ == 0 && !exponent_) s += '.';
    return s;
  }

 private:
  /// The digits behind the point that v needs, at most `precision`.
  int digits_of(double v, int precision) const {
    if (!std::isfinite(v)) return 0;
    std::string s =
        exponent_ ? fmt::format("{:.{}e}", v, precision) : fmt::format("{:.{}f}", v, precision);
    if (exponent_) s.resize(s.find('e'));
    const std::size_t point = s.find('.');
    if (point == std::string::npos) return 0;
    return static_cast<int>(s.find_last_not_of('0') - point);
  }

  bool exponent_ = false;
  int digits_ = 0;
};

class Renderer {
 public:
  Renderer(const core::ArrayRef& array, const RenderOptions& options)
      : array_(array),
        summarised_(!options.full && core::element_count(array.shape) > summarised_above) {
    collect(0, 0);
    std::vector<double> re, im;
    for (const Element& e : elements_)
      if (!e.whole()) {
        re.push_back(e.value().real());
        if (e.complex()) im.push_back(e.value().imag());
      }
    const RealFormat real(re, options.precision), imaginary(im, options.precision);
    for (const Element& e : elements_) {
      std::string text = e.whole() ? e.integer_text() : real.text(e.value().real());
      if (e.complex()) {
        const std::string part = imaginary.text(e.value().imag());
        text += (part.front() == '-' ? "" : "+") + part + "j";
      }
      texts_.push_back(std::move(text));
    }
    for (const std::string& text : texts_) width_ = std::max(width_, text.size());
  }

  std::string render() {
    if (core::element_count(array_.shape) == 0)
      return fmt::format("[] shape {} {}", core::shape_text(array_.shape),
                         core::dtype_name(array_.dtype));
    return block(0);
  }

 private:
  /// The indices of an axis that are shown; -1 is the "...".
  std::vector<std::int64_t> shown(std::size_t axis) const {
    const std::int64_t extent = array_.shape[axis];
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < extent; ++i) {
      if (summarised_ && extent > 2 * edge && i == edge) {
        list.push_back(-1);
        i = extent - edge;
      }
      list.push_back(i);
    }
    return list;
  }

  void collect(std::size_t axis, std::int64_t offset) {
    if (axis == array_.shape.size()) {
      const auto bytes = static_cast<std::int64_t>(core::dtype_bytes(array_.dtype));
      elements_.emplace_back(static_cast<const std::byte*>(array_.data) + offset * bytes,
                             array_.dtype);
      return;
    }
    for (const std::int64_t i : shown(axis))
      if (i >= 0) collect(axis + 1, offset + i * array_.strides[axis]);
  }

  std::string block(std::size_t axis) {
    if (axis == array_.shape.size()) return fmt::format("{:>{}}", texts_[next_++], width_);
    const bool last = axis + 1 == array_.shape.size();
    const std::string indent(axis + 1, ' ');
    const std::string separator =
        last ? " " : std::string(array_.shape.size() - axis - 1, '\n') + indent;
    std::string text = "[";
    std::size_t column = axis + 1;
    bool first = true;
    for (const std::int64_t i : shown(axis)) {
      const std::string item = i < 0 ? "..." : block(axis + 1);
      if (!first && last && column + 1 + item.size() > line_columns) {
        text += "\n" + indent;
        column = axis + 1;
      } else if (!first) {
        text += separator;
        ++column;
      }
      text += item;
      column += item.size();
      first = false;
    }
    return text + "]";
  }

  const core::ArrayRef& array_;
  bool summarised_;
  std::vector<Element> elements_;
  std::vector<std::string> texts_;
  std::size_t width_ = 0, next_ = 0;
};

}  // namespace

std::string render_array(const core::ArrayRef& array, const RenderOptions& options) {
  return Renderer(array, options).render();
}

std::string render_scalar(const core::ArrayRef& scalar) {
  const Element e(scalar.data, scalar.dtype);
  if (e.whole()) return e.integer_text();
  const auto text = [&](double v) {
    return e.narrow() ? shortest(static_cast<float>(v)) : shortest(v);
  };
  if (!e.complex()) return text(e.value().real());
  const std::string imaginary = text(e.value().imag());
  return fmt::format("({}{}{}j)", text(e.value().real()), imaginary.front() == '-' ? "" : "+",
                     imaginary);
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
