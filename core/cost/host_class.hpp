// What is known of a kind of host: dispatch costs, serial rates, caches, bandwidth, and where the
// numbers come from. The built-in classes are data in host_classes.cpp; files are read by json.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/cost/model.hpp"
#include "core/tensor/dtype.hpp"

namespace tt::core {

/// Kernel families that have a serial rate (cost-model.md, section 4). The unit stands behind each.
enum class Family : std::uint8_t {
  gemm,                // multiply-add
  matvec,              // matrix element
  strided_copy,        // element
  strided_map,         // element
  strided_exp,         // element
  strided_sum,         // element
  lu_partial,          // flop, 2/3 n^3
  lu_swap,             // row swap of one element
  lu_full,             // element of the trailing block
  bunch_kaufman,       // element rem^2
  qr_colpiv,           // element of the trailing block
  bidiag,              // element of the trailing block
  hessenberg,          // element n^2
  tridiag,             // element of the triangle rem^2/2
  householder_rank1,   // target element
  svd_dc,              // m^2
  eigh_dc,             // m^2
  triangular_inverse,  // m^3
  sparse_product,      // symbolic multiply-add
};
inline constexpr std::size_t family_count = 19;

/// The name in host class files, traces and --explain: "gemm", "strided.copy", "lu.partial", ...
std::string_view family_name(Family family);
std::optional<Family> find_family(std::string_view name);

struct DispatchCosts {
  WidthCosts team, pool, outside;
  std::int64_t wake_ns = 0;  // what members that have parked add to a section
  std::int64_t open_ns = 0;  // what opening the team costs a cold command

  const WidthCosts& of(TokenKind kind) const {
    return kind == TokenKind::team ? team : kind == TokenKind::pool ? pool : outside;
  }
};

struct CacheBytes {
  std::int64_t l1d = 0, l2 = 0, l3 = 0;
};

struct HostClass {
  std::string name;
  std::string cpu;  // the model the numbers were measured on
  std::string isa;
  std::string provenance;
  CacheBytes cache_bytes;
  /// Bytes moved per nanosecond by a serial copy (read + write counted once each); used for
  /// `bytes`.
  double copy_bytes_per_ns = 5.0;
  /// True in our own measured classes: estimates of gemm, contraction, matvec and strided sites add
  /// bytes at the copy rate. The reference class and the lower bounds do not.
  bool counts_bytes = false;
  DispatchCosts dispatch;
  /// Rates by family and dtype as given; look up with `rate`.
  std::array<std::map<DType, Rate>, family_count> rates;

  /// The rate of a family for a computing dtype. A missing dtype follows the halving rule (float32
  /// is half of float64, complex64 half of complex128; any other takes the float64 or complex128
  /// rate), a missing family the generic class.
  Rate rate(Family family, DType dtype) const;
};

/// The built-in classes: aarch64-apple, x86_64-avx512, x86_64-avx2, x86_64-scalar, generic.
std::span<const HostClass> builtin_host_classes();

/// A built-in class by name, or null.
const HostClass* find_builtin_host_class(std::string_view name);

/// The built-in class whose rates cost the order of contraction for a kernel ISA ("avx512", "avx2",
/// "scalar", "neon"): the same for every --host-class, so that bits do not depend on it.
const HostClass& planning_class_for_isa(std::string_view isa);

/// The class that CPU features and vendor suggest when nothing is calibrated.
const HostClass& detected_host_class();

}  // namespace tt::core
