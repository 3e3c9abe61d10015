// The rule that decides who runs a region (the cost model). Pure functions of numbers: a token
// states what a dispatch costs, a kernel family what its work costs serially, and a region runs on
// the team exactly when estimate >= pays * sections * D(kind, width). Records and overrides are
// trace/gate's.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace tt::core {

/// Which door the sections of a region go through.
enum class TokenKind : std::uint8_t { team, pool, outside };
const char* token_kind_name(TokenKind kind);

/// Dispatch cost by width: at most 12 anchors (width, nanoseconds), ascending in width. Below the
/// first anchor its value; between anchors linear, rounded to the nearest nanosecond (half up);
/// above the last anchor in proportion to the width. Lookup allocates nothing.
class WidthCosts {
 public:
  static constexpr int max_anchors = 12;
  static constexpr int max_width = 65535;
  struct Anchor {
    int width;
    std::int64_t ns;
  };

  WidthCosts() = default;
  /// Throws Error(data) on more than 12 anchors, none, a width out of 1..65535, widths that do not
  /// ascend, or a negative cost.
  explicit WidthCosts(std::span<const Anchor> anchors);
  WidthCosts(std::initializer_list<Anchor> anchors)
      : WidthCosts(std::span<const Anchor>(anchors.begin(), anchors.size())) {}

  std::int64_t at(int width) const;
  /// The least cost over the anchors: below pays * sections * min() no width pays.
  std::int64_t min() const { return min_ns_; }
  /// The least cost over widths 2..budget and the width that has it (the smallest such).
  Anchor cheapest(int budget) const;
  std::span<const Anchor> anchors() const {
    return {anchors_.data(), static_cast<std::size_t>(count_)};
  }

 private:
  std::array<Anchor, max_anchors> anchors_{};
  int count_ = 0;
  std::int64_t min_ns_ = 0;
};

/// The multiple of the dispatch cost that a region must reach: exact in millionths ("2.5",
/// "0.0001").
struct Pays {
  std::int64_t millionths = 3'000'000;
};

/// pays * (sections * dispatch_ns + wake_ns), in nanoseconds, as it stands in a record.
double required_ns(Pays pays, int sections, std::int64_t dispatch_ns, std::int64_t wake_ns = 0);

/// estimate_ns >= pays * (sections * D(width) + wake_ns), in integers. False for a width below 2.
bool pays_at(const WidthCosts& costs, Pays pays, std::int64_t estimate_ns, int sections, int width,
             std::int64_t wake_ns = 0);

/// The width in 1..budget that minimises sections * D(k) + estimate / k over the widths that pay; 1
/// when none does; ties go to the smaller width.
int width_for(const WidthCosts& costs, Pays pays, std::int64_t estimate_ns, int sections,
              int budget, std::int64_t wake_ns = 0);

/// The same objective over 2..budget without the pays test (an explicit floor was reached).
int width_unchecked(const WidthCosts& costs, std::int64_t estimate_ns, int sections, int budget);

/// A serial rate: nanoseconds per unit of work on one thread, as anchors (units, 1e-6 ns), linear
/// in log2(units), clamped at the ends. One anchor is a constant.
class Rate {
 public:
  struct Anchor {
    double units;
    std::int64_t millionths_ns;
  };

  Rate() = default;
  explicit Rate(std::int64_t millionths_ns) : anchors_{{1.0, millionths_ns}} {}
  /// Throws Error(data) when empty, not ascending in units, or a rate is not positive.
  explicit Rate(std::vector<Anchor> anchors);

  /// In 1e-6 ns.
  std::int64_t at(double units) const;
  const std::vector<Anchor>& anchors() const { return anchors_; }
  bool empty() const { return anchors_.empty(); }
  /// Every anchor divided by two (float32 from float64), rounded down.
  Rate halved() const;

 private:
  std::vector<Anchor> anchors_;
};

/// units * rate in 128 bits, floored to whole nanoseconds; saturates at 2^62.
std::int64_t estimate_ns(std::uint64_t units, std::int64_t rate_millionths_ns);

}  // namespace tt::core
