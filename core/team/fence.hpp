// What the thread sanitizer cannot see: libgomp is not instrumented, so the order that its fork,
// its join and its tasks make is told by hand. Without that sanitizer there is nothing to tell.
#pragma once

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
/// For a function that forks or makes tasks: what it hands over is written by libgomp, unseen,
/// after any release it could do. What the shares call is instrumented as ever.
#define TT_FORKS __attribute__((no_sanitize("thread")))
#else
#define TT_FORKS
#endif

namespace tt::core {

/// release_fence() before a fork or a join, acquire_fence() behind it. One address for all: what a
/// fork hands over can be read only behind the acquire, and so could not hold the address.
inline char fence_address = 0;

inline void release_fence() {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(&fence_address);
#endif
}

inline void acquire_fence() {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(&fence_address);
#endif
}

}  // namespace tt::core
