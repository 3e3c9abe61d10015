#include "io/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <vector>

#include "core/error.hpp"

namespace tt::io {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// What every message of a selection shows.
struct Context {
  std::string_view text;
  const core::Shape& shape;
  const std::string& name;

  [[noreturn]] void bad_text(std::string wrong) const {
    throw core::Error(core::Category::usage, std::move(wrong),
                      fmt::format("selection {} of {}", text, name),
                      "NumPy's basic slicing, as in [0:10,:,::2,-1]");
  }
  [[noreturn]] void bad_index(std::string wrong) const {
    throw core::Error(
        core::Category::data, std::move(wrong),
        fmt::format("selection {} of {}, shape {}", text, name, core::shape_text(shape)));
  }
};

/// An integer, or none when the text is empty.
std::optional<std::int64_t> parse_integer(std::string_view text, const Context& context) {
  if (text.empty()) return std::nullopt;
  const std::string_view digits = text.front() == '+' ? text.substr(1) : text;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size())
    context.bad_text(fmt::format("'{}' is no index", text));
  return value;
}

/// Python's slice.indices: first and last are clipped to the axis, never out of range.
AxisSelection settle_slice(std::string_view text, std::int64_t extent, const Context& context) {
  const auto parts = split(text, ':');
  if (parts.size() > 3) context.bad_text(fmt::format("'{}' has too many colons", text));
  const auto start = parse_integer(parts[0], context);
  const auto stop = parse_integer(parts[1], context);
  const std::int64_t step = parts.size() == 3 ? parse_integer(parts[2], context).value_or(1) : 1;
  if (step == 0) context.bad_text("a step of zero");

  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? extent : extent - 1;
  const auto clip = [&](std::int64_t at) {
    return std::clamp(at < 0 ? at + extent : at, low, high);
  };
  const std::int64_t first = start ? clip(*start) : step > 0 ? low : high;
  const std::int64_t end = stop ? clip(*stop) : step > 0 ? high : low;
  const std::int64_t span = step > 0 ? end - first : first - end;
  if (span <= 0) return {0, 1, 0, false};
  // One element at most: the step says nothing, and its negative may not exist.
  if (step > span || step < -span) return {first, 1, 1, false};
  const std::int64_t stride = step > 0 ? step : -step;
  return {first, step, (span + stride - 1) / stride, false};
}

AxisSelection settle_index(std::string_view text, std::size_t axis, const Context& context) {
  const auto index = parse_integer(text, context);
  if (!index) context.bad_text("an index is missing");
  const std::int64_t extent = context.shape[axis];
  const std::int64_t at = *index < 0 ? *index + extent : *index;
  if (at < 0 || at >= extent)
    context.bad_index(
        fmt::format("index {} is out of range for axis {} of extent {}", *index, axis, extent));
  return {at, 1, 1, true};
}

}  // namespace

Selection parse_selection(std::string_view text, const core::Shape& shape,
                          const std::string& name) {
  Selection all;
  for (const std::int64_t extent : shape) all.push_back({0, 1, extent, false});
  if (text.empty()) return all;

  const Context context{text, shape, name};
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    context.bad_text("the selection is not closed");
  const std::string_view inside = trimmed(text.substr(1, text.size() - 2));
  if (inside.empty()) context.bad_text("the selection is empty");
  auto items = split(inside, ',');
  if (items.size() > 1 && items.back().empty()) items.pop_back();  // "[1,]" as in Python

  const auto dots = std::ranges::count(items, std::string_view("..."));
  if (dots > 1) context.bad_text("more than one '...'");
  const std::size_t given = items.size() - static_cast<std::size_t>(dots);
  if (given > shape.size())
    context.bad_index(fmt::format("{} indices for {} dimensions", given, shape.size()));

  std::size_t axis = 0;
  for (const std::string_view item : items) {
    if (item == "...") {
      axis += shape.size() - given;
    } else {
      all[axis] = item.find(':') == std::string_view::npos
                      ? settle_index(item, axis, context)
                      : settle_slice(item, shape[axis], context);
      ++axis;
    }
  }
  return all;
}

core::Shape selected_shape(const Selection& selection) {
  core::Shape shape;
  for (const AxisSelection& axis : selection)
    if (!axis.dropped) shape.push_back(axis.count);
  return shape;
}

core::ArrayRef select(const core::ArrayRef& array, const Selection& selection) {
  core::ArrayRef part{array.data, array.dtype, {}, {}};
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < selection.size(); ++i) {
    const AxisSelection& axis = selection[i];
    offset += axis.first * array.strides[i];
    if (axis.dropped) continue;
    part.shape.push_back(axis.count);
    part.strides.push_back(axis.step * array.strides[i]);
  }
  if (array.data)
    part.data = static_cast<const std::byte*>(array.data) +
                offset * static_cast<std::int64_t>(core::dtype_bytes(array.dtype));
  return part;
}

}  // namespace tt::io
