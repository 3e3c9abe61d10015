#include "core/cost/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"

namespace tt::core {
namespace {

__extension__ using Wide = __int128;

/// The width in 2..budget with the least sections * D(k) + estimate / k among those `allowed`; ties
/// go to the smaller. 1 when none is allowed.
template <class Allowed>
int least_objective(const WidthCosts& costs, std::int64_t estimate_ns, int sections, int budget,
                    Allowed allowed) {
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 2; k <= budget; ++k) {
    if (!allowed(k)) continue;
    const double objective = static_cast<double>(sections) * static_cast<double>(costs.at(k)) +
                             static_cast<double>(estimate_ns) / k;
    if (objective < least) {
      least = objective;
      best = k;
    }
  }
  return best;
}

}  // namespace

const char* token_kind_name(TokenKind kind) {
  switch (kind) {
    case TokenKind::team:
      return "team";
    case TokenKind::pool:
      return "pool";
    case TokenKind::outside:
      break;
  }
  return "outside";
}

WidthCosts::WidthCosts(std::span<const Anchor> anchors) {
  if (anchors.empty() || anchors.size() > static_cast<std::size_t>(max_anchors))
    throw Error(Category::data, fmt::format("{} dispatch costs", anchors.size()), "",
                fmt::format("1 to {} pairs of width and nanoseconds", max_anchors));
  int previous = 0;
  for (const Anchor& anchor : anchors) {
    if (anchor.width <= previous || anchor.width > max_width || anchor.ns < 0)
      throw Error(Category::data,
                  fmt::format("a dispatch cost of {} ns at width {}", anchor.ns, anchor.width), "",
                  fmt::format("ascending widths in 1..{} and costs from 0", max_width));
    previous = anchor.width;
    anchors_[static_cast<std::size_t>(count_++)] = anchor;
  }
  min_ns_ = std::ranges::min(this->anchors(), {}, &Anchor::ns).ns;
}

std::int64_t WidthCosts::at(int width) const {
  const auto list = anchors();
  if (width <= list.front().width) return list.front().ns;
  const Anchor& last = list.back();
  if (width >= last.width)  // half up: (2 p + q) / (2 q) of p / q
    return static_cast<std::int64_t>((2 * Wide{last.ns} * width + last.width) /
                                     (2 * Wide{last.width}));
  const auto high = std::ranges::lower_bound(list, width, {}, &Anchor::width);
  const Anchor& low = *(high - 1);
  const Wide span = high->width - low.width;
  const Wide rise = (Wide{high->ns} - low.ns) * (width - low.width);
  return static_cast<std::int64_t>((2 * (low.ns * span + rise) + span) / (2 * span));
}

WidthCosts::Anchor WidthCosts::cheapest(int budget) const {
  Anchor best{2, at(2)};
  for (int k = 3; k <= budget; ++k)
    if (const std::int64_t ns = at(k); ns < best.ns) best = {k, ns};
  return best;
}

double required_ns(Pays pays, int sections, std::int64_t dispatch_ns, std::int64_t wake_ns) {
  const Wide cost = Wide{sections} * dispatch_ns + wake_ns;
  return static_cast<double>(cost * pays.millionths) / 1e6;
}

bool pays_at(const WidthCosts& costs, Pays pays, std::int64_t estimate_ns, int sections, int width,
             std::int64_t wake_ns) {
  if (width < 2) return false;
  const Wide cost = Wide{sections} * costs.at(width) + wake_ns;
  return Wide{estimate_ns} * 1'000'000 >= cost * pays.millionths;
}

int width_for(const WidthCosts& costs, Pays pays, std::int64_t estimate_ns, int sections,
              int budget, std::int64_t wake_ns) {
  const Wide least_cost = Wide{sections} * costs.min() + wake_ns;
  if (Wide{estimate_ns} * 1'000'000 < least_cost * pays.millionths) return 1;
  return least_objective(costs, estimate_ns, sections, budget, [&](int k) {
    return pays_at(costs, pays, estimate_ns, sections, k, wake_ns);
  });
}

int width_unchecked(const WidthCosts& costs, std::int64_t estimate_ns, int sections, int budget) {
  return least_objective(costs, estimate_ns, sections, budget, [](int) { return true; });
}

Rate::Rate(std::vector<Anchor> anchors) : anchors_(std::move(anchors)) {
  if (anchors_.empty()) throw Error(Category::data, "a rate without anchors");
  double previous = 0;
  for (const Anchor& anchor : anchors_) {
    if (!(anchor.units > previous) || anchor.millionths_ns <= 0)
      throw Error(Category::data,
                  fmt::format("a rate of {} ns per unit at {} units",
                              static_cast<double>(anchor.millionths_ns) / 1e6, anchor.units),
                  "", "ascending units above 0 and positive rates");
    previous = anchor.units;
  }
}

std::int64_t Rate::at(double units) const {
  if (units <= anchors_.front().units) return anchors_.front().millionths_ns;
  if (units >= anchors_.back().units) return anchors_.back().millionths_ns;
  const auto high = std::ranges::lower_bound(anchors_, units, {}, &Anchor::units);
  const auto low = high - 1;
  const double part = std::log2(units / low->units) / std::log2(high->units / low->units);
  const auto rise = static_cast<double>(high->millionths_ns - low->millionths_ns);
  return low->millionths_ns + std::llround(part * rise);
}

Rate Rate::halved() const {
  Rate half = *this;
  for (Anchor& anchor : half.anchors_)
    anchor.millionths_ns = std::max<std::int64_t>(anchor.millionths_ns / 2, 1);
  return half;
}

std::int64_t estimate_ns(std::uint64_t units, std::int64_t rate_millionths_ns) {
  constexpr Wide most = Wide{1} << 62;
  return static_cast<std::int64_t>(std::min(Wide{units} * rate_millionths_ns / 1'000'000, most));
}

}  // namespace tt::core
