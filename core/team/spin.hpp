// One step of a spin loop: tells the core that it waits.
#pragma once

namespace tt::core {

inline void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace tt::core
