#include "core/cost/json.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace tt::core {
namespace {

using Json = nlohmann::ordered_json;

/// Reads one level of an object: every key is taken by a reader or is an error that names it.
class Reader {
 public:
  Reader(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json.is_object()) fail("an object is expected");
  }
  ~Reader() = default;

  template <class Fn>
  void optional(const char* key, Fn&& fn) {
    known_.emplace_back(key);
    if (const auto found = json_.find(key); found != json_.end()) fn(*found, where_ + "." + key);
  }

  void finish() const {
    for (const auto& [key, value] : json_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        throw Error(Category::data, fmt::format("unknown key '{}'", key), where_,
                    fmt::format("known are {}", fmt::join(nearest_first(key, known_), ", ")));
  }

 private:
  [[noreturn]] void fail(const char* what) const { throw Error(Category::data, what, where_); }

  const Json& json_;
  std::string where_;
  std::vector<std::string> known_;
};

double number(const Json& json, const std::string& where, double least, double most) {
  if (json.is_number())
    if (const double value = json.get<double>(); value >= least && value <= most) return value;
  throw Error(Category::data, fmt::format("{} is not a number in {}..{}", json.dump(), least, most),
              where);
}

std::string text(const Json& json, const std::string& where) {
  if (!json.is_string()) throw Error(Category::data, "a text is expected", where);
  return json.get<std::string>();
}

/// A list of pairs.
std::vector<std::pair<double, double>> pairs(const Json& json, const std::string& where) {
  std::vector<std::pair<double, double>> list;
  if (!json.is_array()) throw Error(Category::data, "a list of pairs is expected", where);
  for (const Json& pair : json) {
    if (!pair.is_array() || pair.size() != 2)
      throw Error(Category::data, fmt::format("{} is not a pair", pair.dump()), where);
    list.emplace_back(number(pair[0], where, 0, 1e18), number(pair[1], where, 0, 1e15));
  }
  return list;
}

WidthCosts width_costs(const Json& json, const std::string& where) {
  std::vector<WidthCosts::Anchor> anchors;
  for (const auto& [width, ns] : pairs(json, where)) {
    if (width != std::floor(width) || width > WidthCosts::max_width || ns != std::floor(ns))
      throw Error(Category::data, fmt::format("[{}, {}] is not whole", width, ns), where);
    anchors.push_back({static_cast<int>(width), static_cast<std::int64_t>(ns)});
  }
  return WidthCosts(anchors);
}

void read_dispatch(const Json& json, const std::string& where, DispatchCosts& costs) {
  Reader reader(json, where);
  const auto row = [&](const char* key, WidthCosts& into) {
    reader.optional(key, [&](const Json& j, const std::string& w) { into = width_costs(j, w); });
  };
  const auto whole = [&](const char* key, std::int64_t& into) {
    reader.optional(key, [&](const Json& j, const std::string& w) {
      into = static_cast<std::int64_t>(number(j, w, 0, 1e15));
    });
  };
  row("team", costs.team);
  row("pool", costs.pool);
  row("outside", costs.outside);
  whole("wake", costs.wake_ns);
  whole("open", costs.open_ns);
  reader.finish();
}

void read_rates(const Json& json, const std::string& where, HostClass& host) {
  if (!json.is_object()) throw Error(Category::data, "an object is expected", where);
  for (const auto& [family_key, dtypes] : json.items()) {
    const auto family = find_family(family_key);
    if (!family) throw Error(Category::data, fmt::format("unknown family '{}'", family_key), where);
    const std::string here = where + "." + family_key;
    if (!dtypes.is_object()) throw Error(Category::data, "an object is expected", here);
    for (const auto& [dtype_key, anchors] : dtypes.items()) {
      const auto dtype = find_dtype(dtype_key);
      if (!dtype) throw Error(Category::data, fmt::format("unknown dtype '{}'", dtype_key), here);
      std::vector<Rate::Anchor> list;
      for (const auto& [units, ns] : pairs(anchors, here))
        list.push_back({units, std::llround(ns * 1e6)});
      host.rates[static_cast<std::size_t>(*family)][*dtype] = Rate(std::move(list));
    }
  }
}

HostClass read_host_class(const Json& json, const std::string& where) {
  HostClass host;
  host.dispatch = find_builtin_host_class("generic")->dispatch;
  Reader reader(json, where);
  const auto string = [&](const char* key, std::string& into) {
    reader.optional(key, [&](const Json& j, const std::string& w) { into = text(j, w); });
  };
  string("name", host.name);
  string("cpu", host.cpu);
  string("isa", host.isa);
  string("provenance", host.provenance);
  reader.optional("cache_bytes", [&](const Json& j, const std::string& w) {
    Reader caches(j, w);
    for (const auto& [key, into] : {std::pair{"l1d", &host.cache_bytes.l1d},
                                    {"l2", &host.cache_bytes.l2},
                                    {"l3", &host.cache_bytes.l3}})
      caches.optional(key, [&](const Json& value, const std::string& here) {
        *into = static_cast<std::int64_t>(number(value, here, 0, 1e15));
      });
    caches.finish();
  });
  reader.optional("bandwidth_bytes_per_ns", [&](const Json& j, const std::string& w) {
    Reader bandwidth(j, w);
    bandwidth.optional("copy", [&](const Json& value, const std::string& here) {
      host.copy_bytes_per_ns = number(value, here, 1e-3, 1e6);
      host.counts_bytes = true;
    });
    bandwidth.finish();
  });
  reader.optional("dispatch_ns",
                  [&](const Json& j, const std::string& w) { read_dispatch(j, w, host.dispatch); });
  reader.optional("rates", [&](const Json& j, const std::string& w) { read_rates(j, w, host); });
  reader.finish();
  if (host.name.empty()) throw Error(Category::data, "the host class has no name", where);
  return host;
}

Json costs_json(const WidthCosts& costs) {
  Json list = Json::array();
  for (const auto& anchor : costs.anchors()) list.push_back({anchor.width, anchor.ns});
  return list;
}

}  // namespace

HostClass parse_host_class(std::string_view text, std::string_view where) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw Error(Category::data, "no JSON", std::string(where), "a host class file");
  return read_host_class(json, std::string(where));
}

std::string host_class_json(const HostClass& host) {
  Json json;
  json["name"] = host.name;
  json["cpu"] = host.cpu;
  json["isa"] = host.isa;
  json["provenance"] = host.provenance;
  json["cache_bytes"] = {
      {"l1d", host.cache_bytes.l1d}, {"l2", host.cache_bytes.l2}, {"l3", host.cache_bytes.l3}};
  if (host.counts_bytes) json["bandwidth_bytes_per_ns"] = {{"copy", host.copy_bytes_per_ns}};
  json["dispatch_ns"] = {{"team", costs_json(host.dispatch.team)},
                         {"pool", costs_json(host.dispatch.pool)},
                         {"outside", costs_json(host.dispatch.outside)},
                         {"wake", host.dispatch.wake_ns},
                         {"open", host.dispatch.open_ns}};
  Json& rates = json["rates"] = Json::object();
  for (std::size_t i = 0; i < family_count; ++i)
    for (const auto& [dtype, rate] : host.rates[i]) {
      Json list = Json::array();
      for (const auto& anchor : rate.anchors())
        list.push_back({anchor.units, static_cast<double>(anchor.millionths_ns) / 1e6});
      rates[std::string(family_name(static_cast<Family>(i)))][std::string(dtype_name(dtype))] =
          list;
    }
  return json.dump(2) + "\n";
}

}  // namespace tt::core
