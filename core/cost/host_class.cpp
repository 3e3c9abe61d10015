#include "core/cost/host_class.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace tt::core {
namespace {

struct FamilyName {
  Family family;
  std::string_view name;
};

constexpr std::array<FamilyName, family_count> family_names = {{
    {Family::gemm, "gemm"},
    {Family::matvec, "matvec"},
    {Family::strided_copy, "strided.copy"},
    {Family::strided_map, "strided.map"},
    {Family::strided_exp, "strided.exp"},
    {Family::strided_sum, "strided.sum"},
    {Family::lu_partial, "lu.partial"},
    {Family::lu_swap, "lu.swap"},
    {Family::lu_full, "lu.full"},
    {Family::bunch_kaufman, "bunch_kaufman"},
    {Family::qr_colpiv, "qr.colpiv"},
    {Family::bidiag, "bidiag"},
    {Family::hessenberg, "hessenberg"},
    {Family::tridiag, "tridiag"},
    {Family::householder_rank1, "householder.rank1"},
    {Family::svd_dc, "svd.dc"},
    {Family::eigh_dc, "eigh.dc"},
    {Family::triangular_inverse, "triangular_inverse"},
    {Family::sparse_product, "sparse_product"},
}};

/// The rate in one table, or none: the dtype itself, half of the wide type for a narrow one, the
/// wide type for any other.
std::optional<Rate> rate_in(const std::map<DType, Rate>& table, DType dtype) {
  if (const auto own = table.find(dtype); own != table.end()) return own->second;
  const DType wide = is_complex(dtype) ? DType::complex128 : DType::float64;
  const auto found = table.find(wide);
  if (found == table.end()) return std::nullopt;
  const bool narrow = dtype == DType::float32 || dtype == DType::complex64;
  return narrow ? found->second.halved() : found->second;
}

}  // namespace

std::string_view family_name(Family family) {
  return family_names[static_cast<std::size_t>(family)].name;
}

std::optional<Family> find_family(std::string_view name) {
  for (const FamilyName& row : family_names)
    if (row.name == name) return row.family;
  return std::nullopt;
}

Rate HostClass::rate(Family family, DType dtype) const {
  const auto index = static_cast<std::size_t>(family);
  if (const auto own = rate_in(rates[index], dtype)) return *own;
  const HostClass* generic = find_builtin_host_class("generic");
  if (const auto fallback = rate_in(generic->rates[index], dtype)) return *fallback;
  // Families of real types only (svd.dc, eigh.dc) and those without a complex row: the real rate.
  const auto real = rate_in(generic->rates[index], DType::float64);
  TT_CHECK_EQ(real.has_value(), true);
  return *real;
}

const HostClass* find_builtin_host_class(std::string_view name) {
  const auto classes = builtin_host_classes();
  const auto found = std::ranges::find(classes, name, &HostClass::name);
  return found == classes.end() ? nullptr : &*found;
}

const HostClass& planning_class_for_isa(std::string_view isa) {
  const HostClass* host = find_builtin_host_class(isa == "avx512" ? "x86_64-avx512"
                                                  : isa == "avx2" ? "x86_64-avx2"
                                                                  : "generic");
  return *host;
}

const HostClass& detected_host_class() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    return *find_builtin_host_class("x86_64-avx512");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return *find_builtin_host_class("x86_64-avx2");
  return *find_builtin_host_class("x86_64-scalar");
#elif defined(__aarch64__) && defined(__APPLE__)
  return *find_builtin_host_class("aarch64-apple");
#else
  return *find_builtin_host_class("generic");
#endif
}

}  // namespace tt::core
