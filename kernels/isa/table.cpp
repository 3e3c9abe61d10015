#include "kernels/isa/table.hpp"

#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace tt::kernels {

namespace {

struct IsaRow {
  const KernelTable* table;
  bool (*supported)();
};

// Best first: "auto" is the first row that this CPU supports.
const IsaRow isa_rows[] = {
#ifdef TT_HAVE_AVX512
    {&avx512_table,
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("fma");
     }},
#endif
#ifdef TT_HAVE_AVX2
    {&avx2_table, [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }},
#endif
#ifdef TT_HAVE_NEON64
    {&neon64_table, [] { return true; }},  // part of every 64-bit ARM
#endif
    {&scalar_table, [] { return true; }},
};

struct SupportedRows {
  const KernelTable* tables[std::size(isa_rows)];
  std::size_t count = 0;

  SupportedRows() {
    for (const IsaRow& row : isa_rows)
      if (row.supported()) tables[count++] = row.table;
  }
};

}  // namespace

IsaList supported_isas() {
  static const SupportedRows rows;
  return {rows.tables, rows.tables + rows.count};
}

const KernelTable& select_isa(const char* name) {
  const IsaList isas = supported_isas();
  if (!name || std::strcmp(name, "auto") == 0) return **isas.begin();
  std::vector<std::string> known;
  for (const KernelTable* isa : isas) {
    if (std::strcmp(name, isa->name) == 0) return *isa;
    known.emplace_back(isa->name);
  }
  known.emplace_back("auto");
  throw core::Error(core::Category::usage, fmt::format("unknown or unsupported ISA '{}'", name),
                    "--isa",
                    fmt::format("one of {}", fmt::join(core::nearest_first(name, known), ", ")));
}

}  // namespace tt::kernels
