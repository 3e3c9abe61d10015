// The product against a serial OpenBLAS, arithmetic alone: interleaved arms (ours, ours again as
// the null arm, OpenBLAS), ratios per repetition and their median, and the peak of fused
// multiply-adds in the same run. Row-major n x n x n on one thread; then ours on a team against
// ours on one thread.
//
//   gemm_bench [--isa NAME] [--team N] [--repetitions N] [SIZE...]
#include <cblas.h>
#include <immintrin.h>
#include <ctime>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/cost/host_class.hpp"
#include "core/error.hpp"
#include "core/team/exec.hpp"
#include "core/tensor/memory.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/oriented.hpp"

using namespace tt;

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Independent chains of fused multiply-adds that live in registers.
template <class Step>
double chains_gflops(double flops_of_step, Step step) {
  constexpr int steps = 2000000;
  double best = 1e30;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const double start = seconds_of(CLOCK_MONOTONIC);
    step(steps);
    best = std::min(best, seconds_of(CLOCK_MONOTONIC) - start);
  }
  return flops_of_step * steps / best / 1e9;
}

[[gnu::target("avx512f")]] void run_chains_avx512(int steps) {
  __m512d sums[16];
  for (auto& sum : sums) sum = _mm512_set1_pd(1.0);
  const __m512d x = _mm512_set1_pd(0.5);
  for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 16
    for (auto& sum : sums) sum = _mm512_fmadd_pd(sum, x, x);
  }
  for (const auto& sum : sums) asm volatile("" ::"v"(sum));
}

[[gnu::target("avx2,fma")]] void run_chains_avx2(int steps) {
  __m256d sums[12];
  for (auto& sum : sums) sum = _mm256_set1_pd(1.0);
  const __m256d x = _mm256_set1_pd(0.5);
  for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm256_fmadd_pd(sum, x, x);
  }
  for (const auto& sum : sums) asm volatile("" ::"x"(sum));
}

/// The peak for float64 on this ISA, or 0 where it is not known.
double peak_gflops(std::string_view isa) {
  if (isa == "avx512") return chains_gflops(16 * 8 * 2, run_chains_avx512);
  if (isa == "avx2") return chains_gflops(12 * 4 * 2, run_chains_avx2);
  return 0;
}

template <class T>
void blas_gemm(int n, const T* A, const T* B, T* C) {
  constexpr auto order = CblasRowMajor;
  constexpr auto plain = CblasNoTrans;
  const T one(1), zero(0);
  if constexpr (std::is_same_v<T, float>) {
    cblas_sgemm(order, plain, plain, n, n, n, one, A, n, B, n, zero, C, n);
  } else if constexpr (std::is_same_v<T, double>) {
    cblas_dgemm(order, plain, plain, n, n, n, one, A, n, B, n, zero, C, n);
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    cblas_cgemm(order, plain, plain, n, n, n, &one, A, n, B, n, &zero, C, n);
  } else {
    cblas_zgemm(order, plain, plain, n, n, n, &one, A, n, B, n, &zero, C, n);
  }
}

/// Seconds of one call, or a negative number when the thread did not have its core all the time.
double seconds_of_call(int calls, const std::function<void()>& call) {
  const double wall = seconds_of(CLOCK_MONOTONIC), cpu = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < calls; ++i) call();
  const double wall_used = seconds_of(CLOCK_MONOTONIC) - wall;
  const double cpu_used = seconds_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
  return cpu_used < 0.97 * wall_used ? -1 : wall_used / calls;
}

struct Ratio {
  double median = 0, low = 0, high = 0;
};

Ratio ratio_of(const std::vector<double>& upper, const std::vector<double>& lower) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < upper.size(); ++i) ratios.push_back(upper[i] / lower[i]);
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  return {ratios[ratios.size() / 2], ratios.front(), ratios.back()};
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Runs the arms one after the other in every repetition; drops a repetition if any arm was
/// disturbed.
std::vector<std::vector<double>> interleave(int repetitions, int calls,
                                            const std::vector<std::function<void()>>& arms,
                                            int& discarded) {
  std::vector<std::vector<double>> seconds(arms.size());
  for (const auto& arm : arms) arm();
  discarded = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::vector<double> now;
    for (const auto& arm : arms) now.push_back(seconds_of_call(calls, arm));
    if (*std::min_element(now.begin(), now.end()) < 0) {
      ++discarded;
      continue;
    }
    for (std::size_t i = 0; i < arms.size(); ++i) seconds[i].push_back(now[i]);
  }
  return seconds;
}

/// A square product with its operands.
template <class T>
struct Square {
  explicit Square(std::int64_t n)
      : memory(static_cast<std::size_t>(3 * n * n) * sizeof(T)),
        m{n, n, n},
        n_axis{n, 1, 1},
        k{n, 1, n} {
    T* data = reinterpret_cast<T*>(memory.data());
    for (std::int64_t i = 0; i < 3 * n * n; ++i) data[i] = T(static_cast<float>(i % 17) - 8);
    product.A = data;
    product.B = data + n * n;
    product.C = data + 2 * n * n;
    product.m = {&m, 1};
    product.n = {&n_axis, 1};
    product.k = {&k, 1};
  }

  core::Buffer memory;
  kernels::PairAxis m, n_axis, k;
  kernels::Product<T> product;
};

struct Settings {
  const kernels::KernelTable* isa = nullptr;
  int team = 0;
  int repetitions = 15;
  std::vector<std::int64_t> sizes;
};

template <class T>
double flops_of(std::int64_t n) {
  const double multiply_adds =
      static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  return multiply_adds * (kernels::Element<T>::planes == 2 ? 8 : 2);
}

template <class T>
void against_blas(const Settings& settings, std::int64_t n, double peak) {
  Square<T> square(n);
  const core::Exec exec = core::Exec::serial();
  const auto ours = [&] { kernels::gemm(exec, {}, *settings.isa, square.product); };
  const auto blas = [&] {
    blas_gemm(static_cast<int>(n), square.product.A, square.product.B, square.product.C);
  };
  const int calls = std::max(1, static_cast<int>(1e9 / flops_of<T>(n)));
  int discarded = 0;
  const auto s = interleave(settings.repetitions, calls, {ours, ours, blas}, discarded);
  const Ratio ratio = ratio_of(s[2], s[0]), null = ratio_of(s[1], s[0]);
  const double gflops = flops_of<T>(n) / median_of(s[0]) / 1e9;
  const double peak_of_type = sizeof(kernels::Real<T>) == 4 ? 2 * peak : peak;
  std::printf(
      "%-10s %5lld  %7.1f Gflop/s  of peak %.2f  OpenBLAS/ours %.3f [%.3f %.3f]  "
      "null %.3f [%.3f %.3f]  discarded %d\n",
      std::string(core::dtype_name(core::dtype_of<T>)).c_str(), static_cast<long long>(n), gflops,
      peak > 0 ? gflops / peak_of_type : 0, ratio.median, ratio.low, ratio.high, null.median,
      null.low, null.high, discarded);
}

template <class T>
void team_against_serial(const Settings& settings, std::int64_t n) {
  Square<T> square(n);
  const int calls = std::max(1, static_cast<int>(1e9 / flops_of<T>(n)));
  core::ExecSettings team;
  team.threads = team.plan_budget = settings.team;
  team.pays.millionths = 1;
  team.host = &core::detected_host_class();
  core::Session session(team);
  session.run([&](const core::Exec& exec) {
    core::Gate gate;
    gate.site = "gemm.product";
    gate.work.dtype = core::dtype_of<T>;
    gate.work.units = static_cast<std::uint64_t>(n * n * n);
    const core::Decision wide = exec.decide(gate);
    if (exec.dry()) return;
    int discarded = 0;
    const auto s =
        interleave(settings.repetitions, calls,
                   {[&] { kernels::gemm(core::Exec::serial(), {}, *settings.isa, square.product); },
                    [&] { kernels::gemm(exec, wide, *settings.isa, square.product); }},
                   discarded);
    const Ratio ratio = ratio_of(s[0], s[1]);
    std::printf("%-10s %5lld  width %d  serial/team %.3f [%.3f %.3f]  discarded %d\n",
                std::string(core::dtype_name(core::dtype_of<T>)).c_str(), static_cast<long long>(n),
                wide.width, ratio.median, ratio.low, ratio.high, discarded);
  });
}

Settings parse(int argc, char** argv) {
  Settings settings;
  const char* isa = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--isa" && has_value) {
      isa = argv[++i];
    } else if (word == "--team" && has_value) {
      settings.team = std::atoi(argv[++i]);
    } else if (word == "--repetitions" && has_value) {
      settings.repetitions = std::atoi(argv[++i]);
    } else {
      settings.sizes.push_back(std::atoll(argv[i]));
    }
  }
  settings.isa = &kernels::select_isa(isa);
  if (settings.sizes.empty()) settings.sizes = {64, 128, 256, 512, 1024, 2048};
  return settings;
}

template <class T>
void run_type(const Settings& settings, double peak) {
  for (const std::int64_t n : settings.sizes) {
    if (settings.team > 1) {
      team_against_serial<T>(settings, n);
    } else {
      against_blas<T>(settings, n, peak);
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const Settings settings = parse(argc, argv);
  const double peak = peak_gflops(settings.isa->name);
  std::printf("ISA %s, peak float64 %.1f Gflop/s, medians of %d repetitions [least, most]\n",
              settings.isa->name, peak, settings.repetitions);
  run_type<double>(settings, peak);
  run_type<float>(settings, peak);
  run_type<std::complex<double>>(settings, peak);
  run_type<std::complex<float>>(settings, peak);
  return 0;
} catch (const core::Error& error) {
  std::fprintf(stderr, "gemm_bench: %s\n", error.what());
  return static_cast<int>(error.category());
}
