#include "kernels/isa/table.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/error.hpp"

using namespace tt;

TEST_CASE("the list of ISAs ends with the portable one and begins with auto's choice") {
  const kernels::IsaList isas = kernels::supported_isas();
  REQUIRE(isas.begin() != isas.end());
  CHECK(std::string((*(isas.end() - 1))->name) == "scalar");
  CHECK(&kernels::select_isa(nullptr) == *isas.begin());
  CHECK(&kernels::select_isa("auto") == *isas.begin());
}

TEST_CASE("a name forces its ISA") {
  for (const kernels::KernelTable* isa : kernels::supported_isas()) {
    CAPTURE(isa->name);
    CHECK(&kernels::select_isa(isa->name) == isa);
  }
}

TEST_CASE("an unknown ISA is a usage error that lists what there is") {
  try {
    kernels::select_isa("avx1024");
    FAIL("accepted");
  } catch (const core::Error& error) {
    CHECK(error.category() == core::Category::usage);
    CHECK(std::string(error.what()).find("avx1024") != std::string::npos);
    CHECK(std::string(error.what()).find("scalar") != std::string::npos);
  }
}
