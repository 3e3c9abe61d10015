#include "core/trace/gate.hpp"

#include <charconv>

#include <fnmatch.h>

#include <fmt/format.h>

#include "core/error.hpp"

namespace tt::core {
namespace {

[[noreturn]] void bad_override(std::string_view entry) {
  throw Error(Category::usage, fmt::format("'{}' is no override", entry), "--par",
              "derived, never, SITE=derived, SITE=never or SITE=UNITS");
}

ParThreshold parse_threshold(std::string_view value, std::string_view entry) {
  if (value == "derived") return {ParThreshold::Kind::derived};
  if (value == "never") return {ParThreshold::Kind::never};
  ParThreshold fixed{ParThreshold::Kind::fixed};
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, fixed.floor);
  if (error != std::errc{} || stop != end || value.empty()) bad_override(entry);
  return fixed;
}

}  // namespace

ParOverrides ParOverrides::parse(std::string_view text) {
  ParOverrides overrides;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view entry = text.substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = entry.find('=');
    if (equals == 0) bad_override(entry);
    if (equals == std::string_view::npos) {
      const ParThreshold all = parse_threshold(entry, entry);
      if (all.kind == ParThreshold::Kind::fixed) bad_override(entry);
      overrides.entries_.emplace_back("*", all);
    } else {
      overrides.entries_.emplace_back(entry.substr(0, equals),
                                      parse_threshold(entry.substr(equals + 1), entry));
    }
  }
  return overrides;
}

ParThreshold ParOverrides::of(std::string_view site) const {
  const std::string name(site);
  for (auto it = entries_.rbegin(); it != entries_.rend(); ++it)
    if (fnmatch(it->first.c_str(), name.c_str(), 0) == 0) return it->second;
  return {};
}

std::string rule_text(const Record& record) {
  switch (record.rule) {
    case Rule::derived:
      return "derived";
    case Rule::fixed:
      return "fixed";
    case Rule::never:
      return "never";
    case Rule::shape:
      return fmt::format("shape:{}", record.shape_rule);
    case Rule::min_cost:
      return "min_cost";
    case Rule::serial_token:
      break;
  }
  return "serial-token";
}

Record decide(const Gate& gate, const GateContext& context) {
  const WidthCosts& costs = context.host->dispatch.of(context.kind);
  Record record;
  record.site = gate.site;
  record.family = gate.work.family;
  record.dtype = gate.work.dtype;
  record.dims = gate.dims;
  record.units = gate.work.units;
  record.bytes = context.host->counts_bytes ? gate.work.bytes : 0;
  record.rate_ns = static_cast<double>(rate_millionths_ns(*context.host, gate.work)) / 1e6;
  record.estimate_ns = estimate_ns(*context.host, gate.work) + gate.extra_ns;
  record.sections = gate.sections;
  record.kind = context.kind;
  record.budget = context.budget;
  record.wake_ns = context.wake_ns;

  if (context.budget < 2) {
    record.rule = Rule::serial_token;
    return record;
  }
  const auto cost_at = [&](std::int64_t dispatch_ns) {
    record.dispatch_ns = dispatch_ns;
    record.required_ns = required_ns(context.pays, gate.sections, dispatch_ns, context.wake_ns);
  };
  const auto parallel = [&](int width) {
    record.parallel = true;
    record.width = width;
    cost_at(costs.at(width));
  };
  // What a serial record states: the cheapest dispatch within the budget.
  cost_at(gate.fixed_width ? costs.at(gate.fixed_width) : costs.cheapest(context.budget).ns);

  const ParThreshold threshold =
      context.overrides ? context.overrides->of(gate.site) : ParThreshold{};
  if (threshold.kind == ParThreshold::Kind::never) {
    record.rule = Rule::never;
  } else if (gate.shape_rule) {
    record.rule = Rule::shape;
    record.shape_rule = gate.shape_rule;
  } else if (gate.tasks < 2) {
    record.rule = Rule::shape;
    record.shape_rule = "tasks";
  } else if (threshold.kind == ParThreshold::Kind::fixed) {
    record.rule = Rule::fixed;
    if (gate.work.units >= threshold.floor)
      parallel(gate.fixed_width
                   ? gate.fixed_width
                   : width_unchecked(costs, record.estimate_ns, gate.sections, context.budget));
  } else if (static_cast<double>(record.estimate_ns) <
             required_ns(context.pays, gate.sections, costs.min(), context.wake_ns)) {
    record.rule = Rule::min_cost;
  } else if (gate.fixed_width) {
    if (gate.fixed_width <= context.budget &&
        pays_at(costs, context.pays, record.estimate_ns, gate.sections, gate.fixed_width,
                context.wake_ns))
      parallel(gate.fixed_width);
  } else {
    const int width = width_for(costs, context.pays, record.estimate_ns, gate.sections,
                                context.budget, context.wake_ns);
    if (width > 1) parallel(width);
  }
  return record;
}

}  // namespace tt::core
