// decide(): the only place that says parallel or serial, and the record it leaves behind.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/estimate.hpp"
#include "core/cost/model.hpp"

namespace tt::core {

/// What a region tells its gate. `site` and `shape_rule` are string literals.
struct Gate {
  const char* site = "";
  Work work;
  /// The sizes the units come from, as the trace prints them (m, n, k, batch). Unused ones are 0.
  std::array<std::int64_t, 4> dims{};
  /// The real number of dispatches the region performs.
  int sections = 1;
  /// 0: the width is width_for's. Else the width is this one (joins and splits given by the shape).
  int fixed_width = 0;
  /// How many tasks there are: the width realised is min(width, tasks); fewer than 2 is serial.
  std::int64_t tasks = std::numeric_limits<std::int64_t>::max();
  /// A further estimate in ns of a second family (householder.cols), else 0.
  std::int64_t extra_ns = 0;
  /// A named shape rule that speaks against the team, or null.
  const char* shape_rule = nullptr;
};

/// The one override type of every gate.
struct ParThreshold {
  enum class Kind : std::uint8_t { derived, fixed, never };
  Kind kind = Kind::derived;
  std::uint64_t floor = 0;  // fixed: in the gate's own unit
};

/// --par: the last entry whose glob matches the site wins.
class ParOverrides {
 public:
  ParOverrides() = default;
  /// "derived", "never", "SITE=never", "SITE=N", "SITE=derived", lists of them with commas. Throws
  /// Error(usage).
  static ParOverrides parse(std::string_view text);
  ParThreshold of(std::string_view site) const;

 private:
  std::vector<std::pair<std::string, ParThreshold>> entries_;
};

enum class Rule : std::uint8_t { derived, fixed, never, shape, min_cost, serial_token };

/// One gate decision (the fields of cli.md, section 5).
struct Record {
  std::uint64_t seq = 0;
  const char* site = "";
  Family family = Family::gemm;
  DType dtype = DType::float64;
  std::array<std::int64_t, 4> dims{};
  std::uint64_t units = 0;
  double rate_ns = 0;
  std::int64_t estimate_ns = 0;
  int sections = 1;
  TokenKind kind = TokenKind::team;
  int budget = 1;
  int width = 1;
  /// Negative: null in the outputs (a budget of 1).
  std::int64_t dispatch_ns = -1;
  double required_ns = -1;
  bool parallel = false;
  Rule rule = Rule::derived;
  const char* shape_rule = nullptr;
  int realised_width = 1;
  int member = 0;
  int depth = 0;
  std::int64_t measured_ns = -1;  // negative: not run
  std::uint64_t bytes = 0;
  std::int64_t wake_ns = 0;
  std::string path;
  std::int64_t start_ns = 0;  // since the team opened, for the timeline
};

/// "derived", "fixed", "never", "shape:<name>", "min_cost", "serial-token".
std::string rule_text(const Record& record);

/// What a decision needs to know besides the gate.
struct GateContext {
  TokenKind kind = TokenKind::team;
  int budget = 1;
  Pays pays;
  const HostClass* host = nullptr;
  const ParOverrides* overrides = nullptr;
  std::int64_t wake_ns = 0;
};

/// Decides and fills in all of a record that does not depend on the run (not seq, realised_width,
/// member, depth, measured_ns, path).
Record decide(const Gate& gate, const GateContext& context);

}  // namespace tt::core
