// The built-in host classes: data only. Dispatch costs in nanoseconds by width, serial rates in
// 1e-6 ns per unit (37'000 is 0.037 ns).
#include <array>

#include "core/cost/host_class.hpp"

namespace tt::core {
namespace {

using Rates = std::array<std::map<DType, Rate>, family_count>;

void set(Rates& rates, Family family, std::int64_t real, std::int64_t complex = 0) {
  auto& table = rates[static_cast<std::size_t>(family)];
  table[DType::float64] = Rate(real);
  if (complex) table[DType::complex128] = Rate(complex);
}

/// Serial rates of the reference kernels, measured on the M5.
Rates reference_rates() {
  Rates rates;
  set(rates, Family::gemm, 37'000, 165'000);
  set(rates, Family::matvec, 100'000, 340'000);
  set(rates, Family::strided_copy, 90'000);
  set(rates, Family::strided_map, 100'000);
  set(rates, Family::strided_exp, 1'380'000);
  set(rates, Family::strided_sum, 81'000);
  set(rates, Family::lu_partial, 30'000);
  set(rates, Family::lu_swap, 550'000, 550'000);
  set(rates, Family::lu_full, 216'000, 600'000);
  set(rates, Family::bunch_kaufman, 238'000, 380'000);
  set(rates, Family::qr_colpiv, 202'000, 713'000);
  set(rates, Family::bidiag, 480'000, 1'360'000);
  set(rates, Family::hessenberg, 451'000, 1'570'000);
  set(rates, Family::tridiag, 339'000, 1'160'000);
  set(rates, Family::householder_rank1, 212'000, 725'000);
  set(rates, Family::svd_dc, 53'000'000);
  set(rates, Family::eigh_dc, 31'000'000);
  set(rates, Family::triangular_inverse, 9'600, 34'400);
  set(rates, Family::sparse_product, 1'500'000, 1'800'000);
  return rates;
}

DispatchCosts generic_dispatch() {
  DispatchCosts costs;
  costs.team = {{2, 3'000}, {4, 3'000}, {6, 3'000}};
  costs.pool = {{2, 15'000}, {4, 15'000}, {6, 15'000}};
  costs.outside = {{2, 40'000}, {4, 40'000}, {6, 40'000}};
  costs.wake_ns = 84'000;  // members that parked, Linux
  costs.open_ns = 60'000;  // guessed: creating a thread and the first fork
  return costs;
}

HostClass apple() {
  HostClass host;
  host.name = "aarch64-apple";
  host.cpu = "Apple M5 Max";
  host.isa = "neon";
  host.provenance = "reference table: faer kernels and dispatch costs, 6 threads";
  host.cache_bytes = {128 << 10, 16 << 20, 0};
  host.dispatch.team = {{2, 3'000}, {4, 2'300}, {6, 1'400}};
  host.dispatch.pool = {{2, 6'000}, {4, 11'000}, {6, 5'500}};
  host.dispatch.outside = {{2, 14'000}, {4, 18'000}, {6, 19'000}};
  host.dispatch.open_ns = 60'000;
  host.rates = reference_rates();
  return host;
}

HostClass avx512() {
  HostClass host;
  host.name = "x86_64-avx512";
  host.cpu = "AMD Ryzen AI 9 HX 470";
  host.isa = "avx512";
  host.provenance = "dispatch and gemm rates at 2.0 GHz; the other rates are the reference table's";
  host.cache_bytes = {48 << 10, 1 << 20, 16 << 20};
  host.dispatch = generic_dispatch();
  host.dispatch.team = {{2, 600}, {4, 700}, {6, 900}, {8, 980}};
  host.dispatch.pool = {{2, 3'000}, {4, 3'600}, {6, 3'500}};
  host.dispatch.outside = {{2, 9'700}, {4, 10'100}, {6, 8'700}};
  host.rates = reference_rates();
  auto& gemm = host.rates[static_cast<std::size_t>(Family::gemm)];
  gemm[DType::float64] = Rate(64'000);
  gemm[DType::float32] = Rate(32'000);
  gemm[DType::complex128] = Rate(257'000);
  gemm[DType::complex64] = Rate(128'000);
  return host;
}

HostClass avx2() {
  HostClass host;
  host.name = "x86_64-avx2";
  host.cpu = "AMD EPYC 7702P";
  host.isa = "avx2";
  host.provenance = "dispatch with boost off; rates are the reference table's";
  host.cache_bytes = {32 << 10, 512 << 10, 16 << 20};
  host.dispatch = generic_dispatch();
  host.dispatch.team = {{2, 1'420},  {4, 1'990},  {6, 2'330},  {8, 2'740},  {12, 3'560},
                        {16, 4'080}, {24, 4'290}, {32, 4'840}, {48, 6'400}, {64, 9'330}};
  host.rates = reference_rates();
  return host;
}

HostClass lower_bound(const char* name, const char* isa) {
  HostClass host;
  host.name = name;
  host.cpu = "any";
  host.isa = isa;
  host.provenance = "lower bounds: the reference rates and conservative dispatch costs";
  host.dispatch = generic_dispatch();
  host.rates = reference_rates();
  return host;
}

}  // namespace

std::span<const HostClass> builtin_host_classes() {
  static const std::array<HostClass, 5> classes = {apple(), avx512(), avx2(),
                                                   lower_bound("x86_64-scalar", "scalar"),
                                                   lower_bound("generic", "scalar")};
  return classes;
}

}  // namespace tt::core
