#include "cli/report.hpp"

#include <sys/resource.h>

#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/messages.hpp"
#include "core/tensor/memory.hpp"
#include "core/trace/writers.hpp"
#include "core/version.hpp"
#include "kernels/isa/table.hpp"

namespace tt::cli {
namespace {

void write_file(io::PendingFile& file, const std::string& text) {
  file.write(text.data(), text.size());
  file.commit();
}

std::string stats_text(const Options& options, const std::string& command, const core::Plan& plan,
                       const Seconds& s, const core::Widths& widths) {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  nlohmann::ordered_json json;
  json["command"] = command;
  json["seconds"] = {{"load", s.load},       {"plan", s.plan},   {"alloc", s.alloc},
                     {"compute", s.compute}, {"store", s.store}, {"total", s.total()}};
  json["flops"] = plan.flops;
  json["gflops"] = s.compute > 0 ? plan.flops / s.compute / 1e9 : 0.0;
  json["peak_rss_bytes"] = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  json["peak_alloc_bytes"] = core::peak_allocated_bytes();
  json["predicted_peak_bytes"] = plan.predicted_peak_bytes;
  json["requested_width"] = widths.requested;
  json["planned_width"] = widths.planned;
  json["realised_width"] = widths.realised;
  json["host_class"] = options.host.name;
  json["isa"] = options.isa->name;
  json["kind"] = core::token_kind_name(options.exec.kind);
  json["gates"] = {{"parallel", widths.parallel_gates}, {"serial", widths.serial_gates}};
  json["version"] = core::version;
  return json.dump() + "\n";
}

}  // namespace

Reports::Reports(const Options& options) : options_(options) {
  if (!options.trace_out.empty())
    trace_file_ = std::make_unique<io::PendingFile>(options.trace_out);
  if (!options.stats_out.empty())
    stats_file_ = std::make_unique<io::PendingFile>(options.stats_out);
}

void Reports::write_trace(const core::Session& session) {
  if (!options_.exec.trace) return;
  const std::vector<core::Record> records = session.records();
  if (options_.trace) {
    std::ostringstream table;
    core::write_trace_table(table, records);
    print_report(table.str());
  }
  if (!trace_file_) return;
  for (const core::TraceFormat& format : core::trace_formats())
    if (options_.trace_out.ends_with(format.extension)) {
      std::ostringstream text;
      format.write(text, records);
      write_file(*trace_file_, text.str());
    }
}

void Reports::write_stats(const std::string& command, const core::Plan& plan,
                          const Seconds& seconds, const core::Widths& widths) {
  if (!want_stats()) return;
  const std::string text = stats_text(options_, command, plan, seconds, widths);
  if (options_.stats) print_report(text);
  if (stats_file_) write_file(*stats_file_, text);
}

}  // namespace tt::cli
