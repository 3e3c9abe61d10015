#include "cli/contraction.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "core/error.hpp"
#include "core/plan/explain.hpp"
#include "core/plan/path.hpp"
#include "core/plan/plan.hpp"
#include "core/trace/writers.hpp"
#include "core/version.hpp"
#include "io/commit.hpp"
#include "io/convert.hpp"
#include "io/operand.hpp"
#include "kernels/contract/run.hpp"
#include "kernels/isa/table.hpp"

namespace tt::cli {
namespace {

using core::Category;
using core::DType;
using core::Error;

/// Seconds of the stages of a command.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

struct Seconds {
  double load = 0, plan = 0, alloc = 0, compute = 0, store = 0;
};

/// The types of a contraction: what it computes in and what it returns.
struct Types {
  DType computing, result;
};

Types choose_types(const ContractionJob& job, const Options& options,
                   const std::vector<std::unique_ptr<io::Source>>& sources, io::Source* into) {
  std::vector<DType> dtypes;
  for (const auto& source : sources) dtypes.push_back(source->dtype());
  if (into) dtypes.push_back(into->dtype());
  DType dtype = options.dtype.value_or(core::computing_type(dtypes));
  const bool complex = job.alpha.imag() != 0 || job.beta.imag() != 0;
  const auto whole = [](double v) { return v == std::floor(v) && std::abs(v) < 0x1p53; };
  if (dtype == DType::int64 && !(whole(job.alpha.real()) && whole(job.beta.real())))
    dtype = DType::float64;
  if (complex && !core::is_complex(dtype))
    dtype = dtype == DType::float32 ? DType::complex64 : DType::complex128;
  Types types{dtype, dtype};
  if (!job.accumulate.empty()) {
    parse_choice(job.accumulate, "--accumulate",
                 {"float32", "float64", "complex64", "complex128", "int64"});
    types.computing = core::result_type(dtype, *core::find_dtype(job.accumulate));
  }
  return types;
}

core::Path choose_path(const ContractionJob& job, const Options& options,
                       const core::Problem& problem, DType dtype) {
  if (!job.path_text.empty())
    return core::parse_path(job.path_text, static_cast<int>(problem.inputs.size()), job.ssa);
  static const std::vector<std::string> optimizers = {"auto",    "greedy", "random-greedy", "dp",
                                                      "optimal", "left",   "none"};
  static const std::vector<std::string> objectives = {"time", "flops", "size", "write"};
  return core::find_path(problem, {.optimize = static_cast<core::Optimize>(
                                       parse_choice(job.optimize, "--optimize", optimizers)),
                                   .minimize = static_cast<core::Minimize>(
                                       parse_choice(job.minimize, "--minimize", objectives)),
                                   .dtype = dtype,
                                   .host = &core::planning_class_for_isa(options.isa->name),
                                   .search_seconds = job.search_seconds});
}

/// Refuses, before anything is computed, what would not fit.
void check_memory(const Options& options, const core::Plan& plan) {
  const std::uint64_t limit =
      options.memory_limit ? options.memory_limit : core::available_memory_bytes();
  if (plan.predicted_peak_bytes > limit)
    throw Error(Category::memory,
                fmt::format("the plan needs {}", core::size_text(plan.predicted_peak_bytes)),
                fmt::format("the memory limit is {}", core::size_text(limit)),
                options.memory_limit ? "a larger --memory-limit or smaller operands"
                                     : "smaller operands or a machine with more memory");
  core::set_allocation_limit(options.dry_run ? 0 : limit);
}

/// Reads one byte of every page, so that the arithmetic is timed without page faults.
void fault_in(const core::Tensor& tensor) {
  constexpr std::int64_t page = 4096;
  const auto bytes = static_cast<std::int64_t>(core::dtype_bytes(tensor.ref.dtype));
  std::int64_t low = 0, high = 0;
  for (std::size_t i = 0; i < tensor.ref.shape.size(); ++i) {
    const std::int64_t reach = (tensor.ref.shape[i] - 1) * tensor.ref.strides[i] * bytes;
    if (tensor.ref.shape[i] == 0) return;
    (reach < 0 ? low : high) += reach;
  }
  const auto* at = static_cast<const volatile std::byte*>(tensor.ref.data);
  for (std::int64_t offset = low; offset <= high; offset += page) static_cast<void>(at[offset]);
}

void touch(core::MutableArrayRef array) {
  auto* at = static_cast<volatile std::byte*>(array.data);
  const std::int64_t bytes =
      core::element_count(array.shape) * static_cast<std::int64_t>(core::dtype_bytes(array.dtype));
  for (std::int64_t offset = 0; offset < bytes; offset += 4096) at[offset] = std::byte{0};
}

std::string plan_text(const core::Plan& plan, const core::ExecSettings& settings) {
  std::vector<core::StepDecision> decisions;
  for (const core::Step& step : plan.steps) {
    const core::Record record = core::decide({.site = "contract.step", .work = step.work},
                                             {.kind = settings.kind,
                                              .budget = settings.plan_budget,
                                              .pays = settings.pays,
                                              .host = settings.host,
                                              .overrides = &settings.overrides});
    decisions.push_back({record.width, record.estimate_ns});
  }
  std::ostringstream out;
  core::write_plan(out, plan, decisions);
  return out.str();
}

std::string stats_text(const ContractionJob& job, const Options& options, const core::Plan& plan,
                       const Seconds& s, const core::Widths& widths) {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  nlohmann::ordered_json json;
  json["command"] = job.command;
  json["seconds"] = {
      {"load", s.load},   {"plan", s.plan},
      {"alloc", s.alloc}, {"compute", s.compute},
      {"store", s.store}, {"total", s.load + s.plan + s.alloc + s.compute + s.store}};
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

void write_report_file(const std::string& file, const std::string& text) {
  io::PendingFile pending(file);
  pending.write(text.data(), text.size());
  pending.commit();
}

void report_trace(const Options& options, const core::Session& session) {
  if (!options.exec.trace) return;
  const std::vector<core::Record> records = session.records();
  if (options.trace) {
    std::ostringstream table;
    core::write_trace_table(table, records);
    print_report(table.str());
  }
  for (const core::TraceFormat& format : core::trace_formats())
    if (options.trace_out.ends_with(format.extension)) {
      std::ostringstream text;
      format.write(text, records);
      write_report_file(options.trace_out, text.str());
    }
}

/// Operands as the plan reads them. An int64 view of a mapped file is no copy.
std::vector<core::Tensor> load_operands(const std::vector<std::unique_ptr<io::Source>>& sources,
                                        DType dtype, bool fault) {
  std::vector<core::Tensor> tensors;
  for (const auto& source : sources) {
    tensors.push_back(source->load(dtype));
    if (fault) fault_in(tensors.back());
  }
  return tensors;
}

/// C as the start of the result: beta times it is added.
void copy_into(io::Source& into, const core::MutableArrayRef& result) {
  const core::Tensor old = into.load(result.dtype);
  io::convert({static_cast<const std::byte*>(old.ref.data), old.ref.dtype, false, old.ref.shape,
               old.ref.strides},
              result, into.name());
}

}  // namespace

void run_contraction(Options options, const ContractionJob& job) {
  Stopwatch watch;
  Seconds seconds;
  options.exec.host = &options.host;

  std::vector<std::unique_ptr<io::Source>> sources;
  std::vector<core::OperandShape> shapes;
  for (const std::string& text : job.operands) {
    sources.push_back(io::open_operand(text));
    shapes.push_back({sources.back()->shape(), sources.back()->name()});
  }
  core::Problem problem = job.bind(shapes);
  const core::Shape shape = problem.output_shape();
  const std::unique_ptr<io::Source> into = job.into.empty() ? nullptr : io::open_operand(job.into);
  if (into && into->shape() != shape)
    throw Error(Category::data, "C does not have the shape of the result",
                fmt::format("{} is {}, the result is {}", into->name(),
                            core::shape_text(into->shape()), core::shape_text(shape)),
                "equal shapes");
  if (into && !options.output && !options.print) options.output = job.into;
  const Types types = choose_types(job, options, sources, into.get());

  seconds.load += watch.lap();
  const core::Path path = choose_path(job, options, problem, types.computing);
  settle_width(options);
  core::PlanOptions plan_options;
  plan_options.dtype = types.computing;
  for (const auto& source : sources)
    plan_options.resident_bytes += source->load_bytes(types.computing);
  plan_options.scratch_bytes = [&](const core::Step& step) {
    const core::Record record =
        core::decide({.site = job.site, .work = step.work}, {.kind = options.exec.kind,
                                                             .budget = options.exec.plan_budget,
                                                             .pays = options.exec.pays,
                                                             .host = options.exec.host,
                                                             .overrides = &options.exec.overrides});
    return kernels::contract_scratch_bytes(step, types.computing, *options.isa,
                                           std::min(record.width, options.exec.threads));
  };
  const core::Plan plan = core::make_plan(std::move(problem), path, plan_options);
  check_memory(options, plan);
  if (job.explain) {
    const std::string text = plan_text(plan, options.exec);
    if (options.dry_run || options.output) {
      print_text(text);
    } else {
      print_report(text);
    }
  }

  core::Session session(options.exec);
  kernels::ContractOptions contract{.isa = options.isa,
                                    .conjugate = job.conjugate,
                                    .alpha = job.alpha,
                                    .beta = job.beta,
                                    .site = job.site,
                                    .matvec_site = job.matvec_site};
  if (options.dry_run) {
    session.run([&](const core::Exec& exec) {
      kernels::run_plan(exec, plan, std::vector<core::Tensor>(sources.size()), {}, contract);
    });
    report_trace(options, session);
    if (!job.explain)
      print_text(fmt::format(
          "{}: {:.4g} flops, estimated {:.4g} s on one thread, peak memory {}\n", job.command,
          plan.flops,
          [&] {
            double ns = 0;
            for (const core::Step& step : plan.steps)
              ns += static_cast<double>(core::estimate_ns(options.host, step.work));
            return ns / 1e9;
          }(),
          core::size_text(plan.predicted_peak_bytes)));
    return;
  }
  Output output(options, {{"C", types.result, shape}});
  seconds.plan += watch.lap();

  const bool timed = options.stats || !options.stats_out.empty();
  std::vector<core::Tensor> operands = load_operands(sources, types.computing, timed);
  seconds.load += watch.lap();
  core::Array result(types.computing, shape, "the result");
  if (timed) touch(result.ref());
  if (into && job.beta != std::complex<double>(0)) copy_into(*into, result.ref());
  seconds.alloc = watch.lap();
  session.run([&](const core::Exec& exec) {
    if (exec.dry())
      kernels::run_plan(exec, plan, std::vector<core::Tensor>(operands.size()), {}, contract);
    else
      kernels::run_plan(exec, plan, std::move(operands), result.ref(), contract);
  });
  seconds.compute = watch.lap();
  if (types.result != types.computing) {
    core::Array narrow(types.result, shape, "the result");
    const core::ArrayRef wide = std::as_const(result).ref();
    io::convert(
        {static_cast<const std::byte*>(wide.data), wide.dtype, false, wide.shape, wide.strides},
        narrow.ref(), "the result");
    result = std::move(narrow);
  }
  output.write("C", std::as_const(result).ref());
  output.commit();
  seconds.store = watch.lap();
  report_trace(options, session);
  const std::string stats = timed ? stats_text(job, options, plan, seconds, session.widths()) : "";
  if (options.stats) print_report(stats);
  if (!options.stats_out.empty()) write_report_file(options.stats_out, stats);
}

}  // namespace tt::cli
