#include "core/trace/writers.hpp"

#include <array>
#include <ostream>
#include <string>

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace tt::core {
namespace {

struct Field {
  const char* name;
  std::string value;  // as JSON: numbers, "texts", lists, null
};

std::string or_null(std::int64_t value) {
  return value < 0 ? "null" : fmt::format("{}", value);
}
std::string or_null(double value) {
  return value < 0 ? "null" : fmt::format("{}", value);
}
std::string quoted(std::string_view text) {
  return fmt::format("\"{}\"", text);
}

std::string dims_text(const Record& record, std::string_view separator) {
  std::size_t used = record.dims.size();
  while (used > 0 && record.dims[used - 1] == 0) --used;
  return fmt::format("{}", fmt::join(record.dims.begin(), record.dims.begin() + used, separator));
}

/// Every field of a record, in the order of the columns.
std::vector<Field> fields(const Record& r) {
  return {{"seq", fmt::format("{}", r.seq)},
          {"site", quoted(r.site)},
          {"family", quoted(family_name(r.family))},
          {"dtype", quoted(dtype_name(r.dtype))},
          {"dims", fmt::format("[{}]", dims_text(r, ","))},
          {"units", fmt::format("{}", r.units)},
          {"rate_ns", fmt::format("{}", r.rate_ns)},
          {"estimate_ns", fmt::format("{}", r.estimate_ns)},
          {"sections", fmt::format("{}", r.sections)},
          {"kind", quoted(token_kind_name(r.kind))},
          {"budget", fmt::format("{}", r.budget)},
          {"width", fmt::format("{}", r.width)},
          {"dispatch_ns", or_null(r.dispatch_ns)},
          {"required_ns", or_null(r.required_ns)},
          {"decision", quoted(r.parallel ? "parallel" : "serial")},
          {"rule", quoted(rule_text(r))},
          {"realised_width", fmt::format("{}", r.realised_width)},
          {"member", fmt::format("{}", r.member)},
          {"depth", fmt::format("{}", r.depth)},
          {"measured_ns", or_null(r.measured_ns)},
          {"bytes", fmt::format("{}", r.bytes)},
          {"wake_ns", fmt::format("{}", r.wake_ns)},
          {"start_ns", fmt::format("{}", r.start_ns)},
          {"path", quoted(r.path)}};
}

/// A JSON value as a CSV cell: texts without their quotes, lists quoted, null empty.
std::string cell(const std::string& value) {
  if (value == "null") return "";
  if (value.front() == '[') return quoted(value);
  if (value.front() == '"') return value.substr(1, value.size() - 2);
  return value;
}

std::string time_text(double ns) {
  if (ns < 0) return "-";
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.2f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

}  // namespace

void write_trace_table(std::ostream& out, std::span<const Record> records) {
  constexpr const char* row = "{:<22} {:<18} {:>14} {:>11} {:>11} {:<8} {:>5} {:>8} {:>11} {}\n";
  fmt::print(out, row, "site", "dims", "units", "estimate", "required", "decision", "width",
             "realised", "measured", "rule");
  for (const Record& r : records)
    fmt::print(out, row, r.site, dims_text(r, "x"), r.units,
               time_text(static_cast<double>(r.estimate_ns)), time_text(r.required_ns),
               r.parallel ? "parallel" : "serial", r.width, r.realised_width,
               time_text(static_cast<double>(r.measured_ns)), rule_text(r));
}

void write_trace_jsonl(std::ostream& out, std::span<const Record> records) {
  for (const Record& record : records) {
    const char* separator = "{";
    for (const Field& field : fields(record)) {
      fmt::print(out, "{}\"{}\":{}", separator, field.name, field.value);
      separator = ",";
    }
    out << "}\n";
  }
}

void write_trace_csv(std::ostream& out, std::span<const Record> records) {
  const char* separator = "";
  for (const Field& field : fields(Record{})) {
    out << separator << field.name;
    separator = ",";
  }
  out << '\n';
  for (const Record& record : records) {
    separator = "";
    for (const Field& field : fields(record)) {
      out << separator << cell(field.value);
      separator = ",";
    }
    out << '\n';
  }
}

std::span<const TraceFormat> trace_formats() {
  static constexpr std::array<TraceFormat, 2> formats = {{
      {".jsonl", write_trace_jsonl},
      {".csv", write_trace_csv},
  }};
  return formats;
}

}  // namespace tt::core
