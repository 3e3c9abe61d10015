#include "kernels/contract/run.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/check.hpp"
#include "core/error.hpp"
#include "kernels/contract/axes.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/scratch.hpp"
#include "kernels/strided/number.hpp"
#include "kernels/strided/strided.hpp"

namespace tt::kernels {
namespace {

/// One step with its tensors at hand.
struct StepRun {
  core::ArrayRef A, B;
  bool has_B = false;
  core::MutableArrayRef C;
  bool conj_A = false, conj_B = false;
  std::complex<double> alpha = {1, 0}, beta = {0, 0};
};

template <class T>
T scalar(std::complex<double> value) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
    return T(value);
  else
    return static_cast<T>(value.real());
}

std::vector<PairAxis> pairs(const std::vector<Axis>& axes, std::int64_t Axis::*x,
                            std::int64_t Axis::*y) {
  std::vector<PairAxis> list;
  for (const Axis& axis : axes) list.push_back({axis.extent, axis.*x, axis.*y});
  return list;
}

bool repeats(const std::vector<core::Label>& labels) {
  std::vector<core::Label> sorted = labels;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

/// C = beta * C, everywhere: before a diagonal of it is written.
template <class T>
bool scale(const core::MutableArrayRef& C, T beta) {
  T* data = static_cast<T*>(C.data);
  const std::int64_t count = core::element_count(C.shape);
  if (beta == T(0)) {
    std::fill_n(data, count, T(0));
    return true;
  }
  bool fits = true;
  for (std::int64_t i = 0; i < count; ++i) fits = Sum<T>{}.store(T(1), beta, data[i]) && fits;
  return fits;
}

template <class T>
bool run_typed(const core::Exec& exec, const core::Decision& decision, const core::Plan& plan,
               const core::Step& step, StepRun run, const KernelTable& isa) {
  if (repeats(step.output)) {
    if (!scale<T>(run.C, scalar<T>(run.beta))) return false;
    if (run.beta != std::complex<double>(0)) run.beta = 1;
  }
  StepAxes axes =
      step_axes(plan.problem.extents, step.labels[0], run.A, run.has_B ? &step.labels[1] : nullptr,
                run.has_B ? &run.B : nullptr, step.output, run.C);
  const T* A = static_cast<const T*>(run.A.data);
  const T* B = run.has_B ? static_cast<const T*>(run.B.data) : nullptr;
  T* C = static_cast<T*>(run.C.data);
  if (run.has_B && !axes.m.empty() && !axes.n.empty() && !axes.k.empty()) {
    const auto m = pairs(axes.m, &Axis::stride_A, &Axis::stride_C);
    const auto n = pairs(axes.n, &Axis::stride_B, &Axis::stride_C);
    const auto k = pairs(axes.k, &Axis::stride_A, &Axis::stride_B);
    std::vector<BatchAxis> batch;
    for (const Axis& axis : axes.batch)
      batch.push_back({axis.extent, axis.stride_A, axis.stride_B, axis.stride_C});
    return gemm(exec, decision, isa,
                Product<T>{A, B, C, m, n, k, batch, run.conj_A, run.conj_B, scalar<T>(run.alpha),
                           scalar<T>(run.beta)});
  }
  // Everything kept is one list of outputs. The tensor that the loops follow (A) is the matrix.
  Stream<T> s{
      A, B, C, {}, axes.k, run.conj_A, run.conj_B, scalar<T>(run.alpha), scalar<T>(run.beta)};
  for (const auto* role : {&axes.batch, &axes.m, &axes.n})
    s.out.insert(s.out.end(), role->begin(), role->end());
  if (B && axes.m.empty() && !axes.n.empty()) {
    std::swap(s.A, s.B);
    std::swap(s.conj_A, s.conj_B);
    for (auto* list : {&s.out, &s.in})
      for (Axis& axis : *list) std::swap(axis.stride_A, axis.stride_B);
  }
  std::ranges::stable_sort(s.out, [](const Axis& a, const Axis& b) {
    return std::abs(a.stride_C) > std::abs(b.stride_C);
  });
  fuse(s.out);
  std::ranges::stable_sort(s.in, [](const Axis& a, const Axis& b) {
    return std::abs(a.stride_A) > std::abs(b.stride_A);
  });
  fuse(s.in);
  return stream(exec, decision, isa, s);
}

bool run_step(const core::Exec& exec, const core::Decision& decision, const core::Plan& plan,
              const core::Step& step, const StepRun& run, const KernelTable& isa) {
  return core::visit(run.A, [&]<class T>(core::View<const T>) {
    return run_typed<T>(exec, decision, plan, step, run, isa);
  });
}

/// When each tensor is read for the last time, by step.
std::vector<std::size_t> last_uses(const core::Plan& plan, std::size_t operands) {
  std::vector<std::size_t> last(operands + plan.steps.size(), 0);
  for (std::size_t i = 0; i < plan.steps.size(); ++i)
    for (const int input : plan.steps[i].inputs) last[static_cast<std::size_t>(input)] = i;
  return last;
}

/// Throws Error(numerical) unless all results of a step did fit.
void require_fit(bool fits, const core::Plan& plan, std::size_t step) {
  if (!fits)
    throw core::Error(core::Category::numerical, "integer overflow: int64 cannot hold a result",
                      fmt::format("step {} ({})", step, core::step_text(plan, plan.steps[step])),
                      "--dtype float64 computes in floating point");
}

/// True when every sum is empty: a label has extent 0. Then no step is computed, for its NaN, or
/// its overflow, would stay in a result that has no terms.
bool sums_are_empty(const core::Plan& plan) {
  return std::ranges::find(plan.problem.extents, 0) != plan.problem.extents.end();
}

core::Tensor own(core::Array array) {
  auto held = std::make_shared<core::Array>(std::move(array));
  return {held, std::as_const(*held).ref()};
}

core::Shape step_shape(const core::Plan& plan, const core::Step& step) {
  core::Shape shape;
  for (const core::Label label : step.output)
    shape.push_back(plan.problem.extents[static_cast<std::size_t>(label)]);
  return shape;
}

}  // namespace

void run_plan(const core::Exec& exec, const core::Plan& plan, std::vector<core::Tensor> operands,
              core::MutableArrayRef result, const ContractOptions& options) {
  const std::size_t operand_count = operands.size();
  const std::vector<std::size_t> last = last_uses(plan, operand_count);
  const bool empty = sums_are_empty(plan);
  std::vector<core::Tensor> tensors = std::move(operands);
  tensors.resize(operand_count + plan.steps.size());
  const auto conjugated = [&](int tensor) {
    const auto i = static_cast<std::size_t>(tensor);
    return i < options.conjugate.size() && options.conjugate[i];
  };
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const core::Step& step = plan.steps[i];
    const bool final_step = i + 1 == plan.steps.size();
    core::Exec::PathNode node;
    const core::Exec here = exec.at(node, "step", static_cast<std::int64_t>(i));
    const core::Decision decision = here.decide(
        {.site = step.step_class == core::StepClass::matvec ? options.matvec_site : options.site,
         .work = step.work,
         .dims = {step.m, step.n, step.k, step.batch}});
    if (here.dry() || empty) continue;

    StepRun run;
    run.A = tensors[static_cast<std::size_t>(step.inputs[0])].ref;
    run.conj_A = conjugated(step.inputs[0]);
    run.has_B = step.inputs.size() == 2;
    if (run.has_B) {
      run.B = tensors[static_cast<std::size_t>(step.inputs[1])].ref;
      run.conj_B = conjugated(step.inputs[1]);
    }
    core::Array intermediate;
    if (final_step) {
      run.C = result;
      run.alpha = options.alpha;
      run.beta = options.beta;
    } else {
      intermediate = core::Array(plan.dtype, step_shape(plan, step), "an intermediate");
      run.C = intermediate.ref();
    }
    require_fit(run_step(here, decision, plan, step, run, *options.isa), plan, i);
    if (!final_step) tensors[operand_count + i] = own(std::move(intermediate));
    for (const int input : step.inputs)
      if (last[static_cast<std::size_t>(input)] == i) tensors[static_cast<std::size_t>(input)] = {};
  }
  if (empty && !exec.dry()) {
    const bool fits = core::visit(result, [&]<class T>(core::View<const T>) {
      return scale<T>(result, scalar<T>(options.beta));
    });
    require_fit(fits, plan, plan.steps.size() - 1);
  }
  release_scratch();
}

std::uint64_t contract_scratch_bytes(const core::Step& step, core::DType dtype,
                                     const KernelTable& isa, int members) {
  switch (step.step_class) {
    case core::StepClass::gemm:
    case core::StepClass::batched:
      if (step.m > 1 && step.n > 1 && step.k > 1)
        return gemm_scratch_bytes(step.m, step.n, step.k, step.batch, dtype, isa, members);
      [[fallthrough]];
    case core::StepClass::matvec:
      return step.k > 1 ? stream_scratch_bytes(step.output_elements, step.k, dtype) : 0;
    case core::StepClass::reduce:
      return stream_scratch_bytes(step.output_elements, step.summed, dtype);
    case core::StepClass::outer:
    case core::StepClass::elementwise:
    case core::StepClass::copy:
      break;
  }
  return 0;
}

}  // namespace tt::kernels
