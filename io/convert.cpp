#include "io/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/check.hpp"
#include "core/error.hpp"

namespace tt::io {
namespace {

using core::DType;
using core::DTypeKind;

struct Half {
  std::uint16_t bits;
};
struct Bool {
  std::uint8_t byte;
};

/// The dtypes meet in four wide types that hold every value of their kind, so that fourteen readers
/// and four times fourteen writers do for all pairs. A row passes through them in pieces that stay
/// in the first-level cache.
constexpr std::size_t piece = 256;

template <class T>
struct WideOf {
  using type = std::int64_t;
};
template <>
struct WideOf<std::uint64_t> {
  using type = std::uint64_t;
};
template <>
struct WideOf<Half> {
  using type = double;
};
template <>
struct WideOf<float> {
  using type = double;
};
template <>
struct WideOf<double> {
  using type = double;
};
template <>
struct WideOf<std::complex<float>> {
  using type = std::complex<double>;
};
template <>
struct WideOf<std::complex<double>> {
  using type = std::complex<double>;
};

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<std::complex<T>> = true;

/// The unsigned integer of that many bytes.
template <std::size_t bytes>
struct Word;
template <>
struct Word<1> {
  using type = std::uint8_t;
};
template <>
struct Word<2> {
  using type = std::uint16_t;
};
template <>
struct Word<4> {
  using type = std::uint32_t;
};
template <>
struct Word<8> {
  using type = std::uint64_t;
};

std::uint8_t reversed(std::uint8_t x) {
  return x;
}
std::uint16_t reversed(std::uint16_t x) {
  return __builtin_bswap16(x);
}
std::uint32_t reversed(std::uint32_t x) {
  return __builtin_bswap32(x);
}
std::uint64_t reversed(std::uint64_t x) {
  return __builtin_bswap64(x);
}

template <class T, bool swap>
T get(const std::byte* from) {
  if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    return {get<Part, swap>(from), get<Part, swap>(from + sizeof(Part))};
  } else {
    typename Word<sizeof(T)>::type word;
    std::memcpy(&word, from, sizeof word);
    if constexpr (swap) word = reversed(word);
    return std::bit_cast<T>(word);
  }
}

template <class T>
typename WideOf<T>::type widen(T x) {
  if constexpr (std::is_same_v<T, Bool>)
    return x.byte != 0;
  else if constexpr (std::is_same_v<T, Half>)
    return half_to_double(x.bits);
  else
    return static_cast<typename WideOf<T>::type>(x);
}

[[noreturn]] void refuse(const std::string& value, DType to, std::string_view name) {
  throw core::Error(core::Category::data,
                    fmt::format("the value {} does not fit {}", value, core::dtype_name(to)),
                    std::string(name), "another --dtype");
}

template <class T, class W>
T narrow(W x, DType to, std::string_view name) {
  if constexpr (std::is_same_v<T, Bool>) {
    return {static_cast<std::uint8_t>(x != W{})};
  } else if constexpr (is_complex_v<T>) {
    using Part = typename T::value_type;
    if constexpr (is_complex_v<W>)
      return {static_cast<Part>(x.real()), static_cast<Part>(x.imag())};
    else
      return {static_cast<Part>(x), Part{}};
  } else if constexpr (is_complex_v<W>) {
    refuse("of a complex array", to, name);
  } else if constexpr (std::is_same_v<T, Half>) {
    return {double_to_half(static_cast<double>(x))};
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else if constexpr (std::is_same_v<W, double>) {
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double whole = std::trunc(x);
    if (!(whole >= low && whole < end)) refuse(fmt::format("{}", x), to, name);
    return static_cast<T>(whole);
  } else {
    if constexpr (std::is_same_v<T, std::int64_t> && std::is_same_v<W, std::uint64_t>)
      if (x > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        refuse(fmt::format("{}", x), to, name);
    return static_cast<T>(x);
  }
}

/// Calls fn with the C++ type that holds the bytes of `dtype`.
template <class Fn>
decltype(auto) with_type(DType dtype, Fn&& fn) {
  switch (dtype) {
    case DType::boolean:
      return fn(std::type_identity<Bool>{});
    case DType::int8:
      return fn(std::type_identity<std::int8_t>{});
    case DType::int16:
      return fn(std::type_identity<std::int16_t>{});
    case DType::int32:
      return fn(std::type_identity<std::int32_t>{});
    case DType::int64:
      return fn(std::type_identity<std::int64_t>{});
    case DType::uint8:
      return fn(std::type_identity<std::uint8_t>{});
    case DType::uint16:
      return fn(std::type_identity<std::uint16_t>{});
    case DType::uint32:
      return fn(std::type_identity<std::uint32_t>{});
    case DType::uint64:
      return fn(std::type_identity<std::uint64_t>{});
    case DType::float16:
      return fn(std::type_identity<Half>{});
    case DType::float32:
      return fn(std::type_identity<float>{});
    case DType::complex64:
      return fn(std::type_identity<std::complex<float>>{});
    case DType::complex128:
      return fn(std::type_identity<std::complex<double>>{});
    default:
      return fn(std::type_identity<double>{});
  }
}

/// A run of elements: the first, and the bytes from one to the next.
struct Row {
  const std::byte* from;
  std::int64_t from_step;
  std::byte* to;
  std::int64_t to_step;
  std::int64_t count;
};

template <class T, bool swap>
void copy_row(const Row& row) {
  for (std::int64_t i = 0; i < row.count; ++i) {
    const T x = get<T, swap>(row.from + i * row.from_step);
    std::memcpy(row.to + i * row.to_step, &x, sizeof x);
  }
}

template <class T, bool swap>
void read_piece(const std::byte* from, std::int64_t step, typename WideOf<T>::type* wide,
                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, from += step) wide[i] = widen(get<T, swap>(from));
}

template <class W>
void write_piece(const W* wide, std::byte* to, std::int64_t step, std::size_t count, DType dtype,
                 std::string_view name) {
  with_type(dtype, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i, to += step) {
      const T x = narrow<T>(wide[i], dtype, name);
      std::memcpy(to, &x, sizeof x);
    }
  });
}

void convert_row(Row row, DType from, bool swapped, DType to, std::string_view name) {
  with_type(from, [&]<class T>(std::type_identity<T>) {
    if (from == to && !swapped && row.from_step == sizeof(T) && row.to_step == sizeof(T)) {
      std::memcpy(row.to, row.from, sizeof(T) * static_cast<std::size_t>(row.count));
      return;
    }
    if (from == to) return swapped ? copy_row<T, true>(row) : copy_row<T, false>(row);
    typename WideOf<T>::type wide[piece];
    while (row.count > 0) {
      const auto count = std::min(static_cast<std::size_t>(row.count), piece);
      if (swapped)
        read_piece<T, true>(row.from, row.from_step, wide, count);
      else
        read_piece<T, false>(row.from, row.from_step, wide, count);
      write_piece(wide, row.to, row.to_step, count, to, name);
      row.from += row.from_step * static_cast<std::int64_t>(count);
      row.to += row.to_step * static_cast<std::int64_t>(count);
      row.count -= static_cast<std::int64_t>(count);
    }
  });
}

struct Axis {
  std::int64_t extent, from_step, to_step;  // steps in bytes
};

/// The axes from the slowest in `to` to the fastest, those of extent 1 left out, neighbours joined
/// where both arrays run through them without a jump. At least one.
std::vector<Axis> fold_axes(const StoredRef& from, const core::MutableArrayRef& to) {
  const auto from_bytes = static_cast<std::int64_t>(core::dtype_bytes(from.dtype));
  const auto to_bytes = static_cast<std::int64_t>(core::dtype_bytes(to.dtype));
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < to.shape.size(); ++i)
    if (to.shape[i] != 1)
      axes.push_back({to.shape[i], from.strides[i] * from_bytes, to.strides[i] * to_bytes});
  std::ranges::stable_sort(
      axes, [](const Axis& a, const Axis& b) { return std::abs(a.to_step) > std::abs(b.to_step); });
  std::vector<Axis> folded;
  for (const Axis& axis : axes) {
    if (!folded.empty() && folded.back().from_step == axis.from_step * axis.extent &&
        folded.back().to_step == axis.to_step * axis.extent) {
      folded.back() = {folded.back().extent * axis.extent, axis.from_step, axis.to_step};
    } else {
      folded.push_back(axis);
    }
  }
  if (folded.empty()) folded.push_back({1, from_bytes, to_bytes});
  return folded;
}

}  // namespace

void convert(const StoredRef& from, const core::MutableArrayRef& to, std::string_view name) {
  TT_CHECK_EQ(from.shape.size(), to.shape.size());
  if (core::element_count(to.shape) == 0) return;
  const std::vector<Axis> axes = fold_axes(from, to);
  const Axis& inner = axes.back();
  Row row{from.data, inner.from_step, static_cast<std::byte*>(to.data), inner.to_step,
          inner.extent};
  std::vector<std::int64_t> index(axes.size() - 1, 0);
  for (;;) {
    convert_row(row, from.dtype, from.swapped, to.dtype, name);
    std::size_t axis = index.size();
    for (; axis > 0; --axis) {
      const Axis& a = axes[axis - 1];
      row.from += a.from_step;
      row.to += a.to_step;
      if (++index[axis - 1] < a.extent) break;
      index[axis - 1] = 0;
      row.from -= a.from_step * a.extent;
      row.to -= a.to_step * a.extent;
    }
    if (axis == 0) return;
  }
}

void swap_bytes(std::byte* data, DType dtype, std::size_t count) {
  with_type(dtype, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      const T x = get<T, true>(data + i * sizeof(T));
      std::memcpy(data + i * sizeof(T), &x, sizeof x);
    }
  });
}

core::Strides dense_strides_like(const core::Shape& shape, const core::Strides& strides) {
  std::vector<std::size_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::ranges::stable_sort(axes, [&](std::size_t a, std::size_t b) {
    return std::abs(strides[a]) > std::abs(strides[b]);
  });
  core::Strides dense(shape.size());
  std::int64_t next = 1;
  for (std::size_t i = axes.size(); i-- > 0;) {
    dense[axes[i]] = next;
    next *= std::max<std::int64_t>(shape[axes[i]], 1);
  }
  return dense;
}

double half_to_double(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = fraction * 0x1p-24;
  } else {  // (1 + fraction/1024) * 2^(exponent-15), put together from its bits
    magnitude = std::bit_cast<double>(static_cast<std::uint64_t>(exponent - 15 + 1023) << 52 |
                                      static_cast<std::uint64_t>(fraction) << 42);
  }
  return half & 0x8000 ? -magnitude : magnitude;
}

std::uint16_t double_to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;  // half a unit above the largest, 65504
  const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  const double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  const auto bits = static_cast<std::uint16_t>(units);
  // Below 2^-14 `bits` is the fraction of a subnormal; above, it counts the hidden bit, and a carry
  // out of the fraction lands in the exponent, as it should.
  const int base = magnitude < 0x1p-14 ? 0 : (exponent + 14) << 10;
  return static_cast<std::uint16_t>(sign | (base + bits));
}

}  // namespace tt::io
