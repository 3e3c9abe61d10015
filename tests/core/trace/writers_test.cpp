#include "core/trace/writers.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <vector>

using namespace tt::core;

namespace {

Record sample() {
  Record r;
  r.seq = 7;
  r.site = "gemm.product";
  r.dims = {8, 9, 10, 0};
  r.units = 720;
  r.rate_ns = 0.037;
  r.estimate_ns = 26;
  r.budget = 6;
  r.dispatch_ns = 1400;
  r.required_ns = 3500.5;
  r.rule = Rule::min_cost;
  r.path = "step.0";
  return r;
}

std::string written(void (*write)(std::ostream&, std::span<const Record>), const Record& record) {
  std::ostringstream out;
  const std::vector<Record> records = {record};
  write(out, records);
  return out.str();
}

}  // namespace

TEST_CASE("JSON lines hold every field; what was not measured is null") {
  CHECK(written(write_trace_jsonl, sample()) ==
        "{\"seq\":7,\"site\":\"gemm.product\",\"family\":\"gemm\",\"dtype\":\"float64\","
        "\"dims\":[8,9,10],\"units\":720,\"rate_ns\":0.037,\"estimate_ns\":26,\"sections\":1,"
        "\"kind\":\"team\",\"budget\":6,\"width\":1,\"dispatch_ns\":1400,\"required_ns\":3500.5,"
        "\"decision\":\"serial\",\"rule\":\"min_cost\",\"realised_width\":1,\"member\":0,"
        "\"depth\":0,\"measured_ns\":null,\"bytes\":0,\"wake_ns\":0,\"start_ns\":0,"
        "\"path\":\"step.0\"}\n");
}

TEST_CASE("CSV has a header, the same fields, and lists in quotes") {
  CHECK(written(write_trace_csv, sample()) ==
        "seq,site,family,dtype,dims,units,rate_ns,estimate_ns,sections,kind,budget,width,"
        "dispatch_ns,required_ns,decision,rule,realised_width,member,depth,measured_ns,bytes,"
        "wake_ns,start_ns,path\n"
        "7,gemm.product,gemm,float64,\"[8,9,10]\",720,0.037,26,1,team,6,1,1400,3500.5,serial,"
        "min_cost,1,0,0,,0,0,0,step.0\n");
}

TEST_CASE("the table has a line a decision") {
  Record r = sample();
  r.measured_ns = 1'234'567;
  const std::string table = written(write_trace_table, r);
  for (const char* word :
       {"site", "gemm.product", "8x9x10", "26 ns", "3.50 us", "serial", "1.23 ms", "min_cost"})
    CHECK(table.find(word) != std::string::npos);
}

TEST_CASE("forms are chosen by extension") {
  REQUIRE(trace_formats().size() == 2);
  CHECK(trace_formats()[0].extension == ".jsonl");
  CHECK(trace_formats()[1].extension == ".csv");
}
