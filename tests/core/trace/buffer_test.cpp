#include "core/trace/buffer.hpp"

#include <doctest/doctest.h>

using namespace tt::core;

TEST_CASE("records of all members merge in the order they were made, and stay where they are") {
  TraceLog log(3);
  Record first;
  first.site = "a";
  Record& kept = log.append(2, first);
  log.append(0, {});
  log.append(2, {});
  kept.realised_width = 5;
  const std::vector<Record> all = log.merged();
  REQUIRE(all.size() == 3);
  CHECK(all[0].realised_width == 5);
  CHECK(all[0].member == 2);
  CHECK(all[1].member == 0);
  CHECK(all[2].seq == 2);
}
