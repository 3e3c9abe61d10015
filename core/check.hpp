// Checks of our own mistakes: print both values and abort. Never for what a user or a file can
// cause.
#pragma once

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#define TT_CHECK_OP(a, op, b)                                                                  \
  do {                                                                                         \
    const auto tt_check_a = (a);                                                               \
    const auto tt_check_b = (b);                                                               \
    if (!(tt_check_a op tt_check_b)) {                                                         \
      fmt::print(stderr, "tt: internal error: {}:{}: {} {} {} does not hold: {} against {}\n", \
                 __FILE__, __LINE__, #a, #op, #b, tt_check_a, tt_check_b);                     \
      std::abort();                                                                            \
    }                                                                                          \
  } while (false)

#define TT_CHECK_EQ(a, b) TT_CHECK_OP(a, ==, b)
#define TT_CHECK_LT(a, b) TT_CHECK_OP(a, <, b)
#define TT_CHECK_LE(a, b) TT_CHECK_OP(a, <=, b)
#define TT_CHECK_GE(a, b) TT_CHECK_OP(a, >=, b)

#ifdef NDEBUG
#define TT_DCHECK_EQ(a, b) static_cast<void>(0)
#define TT_DCHECK_LT(a, b) static_cast<void>(0)
#define TT_DCHECK_LE(a, b) static_cast<void>(0)
#else
#define TT_DCHECK_EQ(a, b) TT_CHECK_EQ(a, b)
#define TT_DCHECK_LT(a, b) TT_CHECK_LT(a, b)
#define TT_DCHECK_LE(a, b) TT_CHECK_LE(a, b)
#endif
