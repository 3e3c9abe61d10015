#include "cli/contraction.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "cli/messages.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/report.hpp"
#include "core/error.hpp"
#include "core/plan/explain.hpp"
#include "core/plan/path.hpp"
#include "core/plan/plan.hpp"
#include "io/convert.hpp"
#include "io/operand.hpp"
#include "kernels/contract/run.hpp"
#include "kernels/gemm/scratch.hpp"
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
  if (job.accumulate) types.computing = core::result_type(dtype, *job.accumulate);
  return types;
}

core::Path choose_path(const ContractionJob& job, const Options& options,
                       const core::Problem& problem, DType dtype) {
  if (!job.path_text.empty())
    return core::parse_path(job.path_text, static_cast<int>(problem.inputs.size()), job.ssa);
  return core::find_path(problem, {.optimize = job.optimize,
                                   .minimize = job.minimize,
                                   .dtype = dtype,
                                   .host = &core::planning_class_for_isa(options.isa->name),
                                   .search_seconds = job.search_seconds});
}

/// Refuses, before anything is computed, what would not fit. A dry run may plan for a larger
/// machine than this one.
void check_memory(const Options& options, const core::Plan& plan) {
  const bool given = options.memory_limit != 0;
  if (options.dry_run && !given) return;
  const std::uint64_t limit = given ? options.memory_limit : core::available_memory_bytes();
  if (plan.predicted_peak_bytes > limit)
    throw Error(Category::memory,
                fmt::format("the plan needs {}", core::size_text(plan.predicted_peak_bytes)),
                fmt::format("the memory limit is {}", core::size_text(limit)),
                given ? "a larger --memory-limit or smaller operands"
                      : "smaller operands or a machine with more memory");
  core::set_allocation_limit(limit);
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

/// What the gate of a step will say when the kernels ask it.
core::Record step_gate(const core::Step& step, const ContractionJob& job,
                       const core::ExecSettings& settings) {
  const bool matvec = step.step_class == core::StepClass::matvec;
  return core::decide({.site = matvec ? job.matvec_site : job.site, .work = step.work},
                      {.kind = settings.kind,
                       .budget = settings.plan_budget,
                       .pays = settings.pays,
                       .host = settings.host,
                       .overrides = &settings.overrides});
}

/// The estimate of all steps, each at its width, in seconds.
double estimated_seconds(const core::Plan& plan, const ContractionJob& job,
                         const core::ExecSettings& settings) {
  double ns = 0;
  for (const core::Step& step : plan.steps) {
    const core::Record gate = step_gate(step, job, settings);
    ns += static_cast<double>(gate.estimate_ns) / gate.width;
  }
  return ns * 1e-9;
}

/// The printed plan goes where it is in nobody's way: to standard output unless results go there.
void explain(const core::Plan& plan, const ContractionJob& job, const Options& options) {
  std::vector<core::StepDecision> decisions;
  for (const core::Step& step : plan.steps) {
    const core::Record gate = step_gate(step, job, options.exec);
    decisions.push_back({gate.width, gate.estimate_ns});
  }
  std::ostringstream out;
  core::write_plan(out, plan, decisions);
  const bool free = options.dry_run || (options.output && *options.output != "-" && !options.print);
  if (free) return print_text(out.str());
  print_report(out.str());
}

/// False when no budget up to the planned one could make opening a team pay: what the steps that a
/// team might run take altogether, and so what it could save, is less than the opening must.
bool team_could_open(const core::Plan& plan, const ContractionJob& job,
                     const core::ExecSettings& settings) {
  bool forced = false;
  double shared_ns = 0;
  for (const core::Step& step : plan.steps) {
    const core::Record gate = step_gate(step, job, settings);
    if (!gate.parallel) continue;
    forced = forced || gate.rule == core::Rule::fixed;
    shared_ns += static_cast<double>(gate.estimate_ns);
  }
  return forced ||
         shared_ns >= core::required_ns(settings.pays, 1, settings.host->dispatch.open_ns);
}

/// Settles the width of the command. The topology of the machine is looked up only when a team
/// could open or somebody reads the widths: it costs more than a small job.
void settle_width_if_needed(const core::Problem& problem, const core::Path& path, DType dtype,
                            const ContractionJob& job, Options& options, bool want_widths) {
  bound_width(options);
  core::PlanOptions bare;
  bare.dtype = dtype;
  if (want_widths || options.requested_width ||
      team_could_open(core::make_plan(problem, path, bare), job, options.exec))
    return settle_width(options);
  options.exec.threads = options.exec.plan_budget = 1;
}

/// Operands as the plan reads them; with `fault`, no page of them is met for the first time later.
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

core::Array narrowed(const core::Array& wide, DType dtype) {
  const core::ArrayRef from = wide.ref();
  core::Array result(dtype, from.shape, "the result");
  io::convert(
      {static_cast<const std::byte*>(from.data), from.dtype, false, from.shape, from.strides},
      result.ref(), "the result");
  return result;
}

/// A beta of 0 reads no value of C.
bool keeps_old(const ContractionJob& job) {
  return job.beta != std::complex<double>(0);
}

/// C, whose beta-fold is added; null without --into.
std::unique_ptr<io::Source> open_into(const ContractionJob& job, const core::Shape& shape) {
  if (job.into.empty()) return nullptr;
  std::unique_ptr<io::Source> into = io::open_operand(job.into);
  if (into->shape() != shape)
    throw Error(Category::data, "C does not have the shape of the result",
                fmt::format("{} is {}, the result is {}", into->name(),
                            core::shape_text(into->shape()), core::shape_text(shape)),
                "equal shapes");
  return into;
}

/// What stays allocated besides the result in the computing type: operands that are read into
/// buffers, and the result in its own type.
std::uint64_t resident_bytes(const std::vector<std::unique_ptr<io::Source>>& sources,
                             const io::Source* into, const Types& types, const core::Shape& shape) {
  std::uint64_t bytes = into ? into->load_bytes(types.computing) : 0;
  for (const auto& source : sources) bytes += source->load_bytes(types.computing);
  if (types.result != types.computing)
    bytes +=
        static_cast<std::uint64_t>(core::element_count(shape)) * core::dtype_bytes(types.result);
  return bytes;
}

/// What a dry run says without --explain: what a batch job would ask for.
void print_estimate(const core::Plan& plan, const ContractionJob& job, const Options& options) {
  print_text(fmt::format("{}: {:.4g} flops, estimated {:.4g} s at width {}, peak memory {}\n",
                         job.command, plan.flops, estimated_seconds(plan, job, options.exec),
                         options.exec.plan_budget, core::size_text(plan.predicted_peak_bytes)));
}

/// What is known before any data is read.
struct Opened {
  std::vector<std::unique_ptr<io::Source>> sources;
  std::unique_ptr<io::Source> into;  // null without --into
  core::Problem problem;
  Types types;
};

Opened open_operands(const ContractionJob& job, const Options& options) {
  Opened opened;
  std::vector<core::OperandShape> shapes;
  for (const std::string& text : job.operands) {
    opened.sources.push_back(io::open_operand(text));
    shapes.push_back({opened.sources.back()->shape(), opened.sources.back()->name()});
  }
  opened.problem = job.bind(shapes);
  opened.into = open_into(job, opened.problem.output_shape());
  opened.types = choose_types(job, options, opened.sources, opened.into.get());
  return opened;
}

/// Finds the order, settles the width for it, and refuses what would not fit.
core::Plan plan_contraction(const ContractionJob& job, const Opened& opened, bool want_widths,
                            Options& options) {
  const auto& [sources, into, problem, types] = opened;
  const DType dtype = types.computing;
  const core::Path path = choose_path(job, options, problem, dtype);
  settle_width_if_needed(problem, path, dtype, job, options, want_widths);
  core::PlanOptions plan_options;
  plan_options.dtype = dtype;
  plan_options.resident_bytes =
      resident_bytes(sources, keeps_old(job) ? into.get() : nullptr, types, problem.output_shape());
  plan_options.scratch_bytes = [&](const core::Step& step) {
    const int width = std::min(step_gate(step, job, options.exec).width, options.exec.threads);
    return kernels::contract_scratch_bytes(step, dtype, *options.isa, width);
  };
  core::Plan plan = core::make_plan(problem, path, plan_options);
  check_memory(options, plan);
  return plan;
}

std::uint64_t most_scratch_bytes(const core::Plan& plan) {
  std::uint64_t most = 0;
  for (const core::Step& step : plan.steps) most = std::max(most, step.scratch_bytes);
  return most;
}

void print_summary(const core::Plan& plan, const core::Widths& widths, const Seconds& seconds) {
  print_note(fmt::format("{} step{}, {:.3g} flops, width {}, {:.3g} s", plan.steps.size(),
                         plan.steps.size() == 1 ? "" : "s", plan.flops, widths.realised,
                         seconds.total()));
}

}  // namespace

void run_contraction(Options options, const ContractionJob& job) {
  Stopwatch watch;
  Seconds seconds;
  options.exec.host = &options.host;

  const Opened opened = open_operands(job, options);
  const core::Shape shape = opened.problem.output_shape();
  if (opened.into && !options.output && !options.print) options.output = job.into;
  std::optional<Output> output;
  if (!options.dry_run)
    output.emplace(options, std::vector{io::ResultInfo{"C", opened.types.result, shape}});
  Reports reports(options);
  seconds.load = watch.lap();

  const core::Plan plan = plan_contraction(
      job, opened, reports.want_widths() || job.explain || options.dry_run, options);
  if (job.explain) explain(plan, job, options);
  core::Session session(options.exec);
  const kernels::ContractOptions contract{.isa = options.isa,
                                          .conjugate = job.conjugate,
                                          .alpha = job.alpha,
                                          .beta = job.beta,
                                          .site = job.site,
                                          .matvec_site = job.matvec_site};
  if (options.dry_run) {
    session.run([&](const core::Exec& exec) {
      kernels::run_plan(exec, plan, std::vector<core::Tensor>(job.operands.size()), {}, contract);
    });
    if (!job.explain) print_estimate(plan, job, options);
    reports.write_trace(session);
    seconds.plan = watch.lap();
    return reports.write_stats(job.command, plan, seconds, session.widths());
  }
  seconds.plan = watch.lap();

  std::vector<core::Tensor> operands =
      load_operands(opened.sources, opened.types.computing, reports.want_stats());
  seconds.load += watch.lap();
  core::Array result(opened.types.computing, shape, "the result");
  if (reports.want_stats()) {
    touch(result.ref());
    kernels::prepare_scratch(most_scratch_bytes(plan));
  }
  if (opened.into && keeps_old(job)) copy_into(*opened.into, result.ref());
  seconds.alloc = watch.lap();
  {
    const Progress progress(options.progress, options.quiet, job.command,
                            estimated_seconds(plan, job, options.exec));
    session.run([&](const core::Exec& exec) {
      // A session may first walk the plan without work, to see what a team would save.
      if (exec.dry())
        return kernels::run_plan(exec, plan, std::vector<core::Tensor>(operands.size()), {},
                                 contract);
      seconds.alloc += watch.lap();
      kernels::run_plan(exec, plan, std::move(operands), result.ref(), contract);
      seconds.compute = watch.lap();
    });
  }
  seconds.alloc += watch.lap();
  if (opened.types.result != opened.types.computing) result = narrowed(result, opened.types.result);
  output->write("C", std::as_const(result).ref());
  output->commit();
  seconds.store = watch.lap();
  reports.write_trace(session);
  reports.write_stats(job.command, plan, seconds, session.widths());
  if (options.verbose) print_summary(plan, session.widths(), seconds);
}

}  // namespace tt::cli
