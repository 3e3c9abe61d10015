// Writers of recorded decisions, one function each: the table of --trace, JSON lines, CSV. Each
// fills a stream it is given. A new form is one function here and one row in `trace_formats`.
#pragma once

#include <iosfwd>
#include <span>
#include <string_view>

#include "core/trace/gate.hpp"

namespace tt::core {

void write_trace_table(std::ostream& out, std::span<const Record> records);
void write_trace_jsonl(std::ostream& out, std::span<const Record> records);
void write_trace_csv(std::ostream& out, std::span<const Record> records);

struct TraceFormat {
  std::string_view extension;  // ".jsonl"
  void (*write)(std::ostream&, std::span<const Record>);
};

/// The forms of --trace-out, by extension.
std::span<const TraceFormat> trace_formats();

}  // namespace tt::core
