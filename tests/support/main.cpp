// The entry point of every doctest executable.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#if defined(__SANITIZE_THREAD__)
// libgomp is not instrumented: what its barrier does with finished tasks is its own.
extern "C" const char* __tsan_default_suppressions() { return "race:gomp_barrier_handle_tasks\n"; }
#endif
