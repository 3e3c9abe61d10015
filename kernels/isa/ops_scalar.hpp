// The portable set, without intrinsics: vectors of 16 bytes that the compiler lowers to the
// baseline of the target (SSE2 on x86-64) or to single elements. A multiply and an add, for a
// baseline without fused multiply-add would call the C library for each.
#pragma once

#include "kernels/isa/vector.hpp"

namespace tt::kernels {

struct Scalar {
  static constexpr int bytes = 16;
  static constexpr int registers = 16;
  static constexpr bool cheap_masks = false;

  template <class Reg>
  static Reg fma(Reg a, Reg b, Reg c) {
    return a * b + c;
  }
  template <class Reg>
  static Reg fnma(Reg a, Reg b, Reg c) {
    return c - a * b;
  }
  template <class Reg>
  static Reg multiply(Reg a, Reg b) {
    return a * b;
  }
  template <class T, class Reg>
  static Reg load_first(const T* from, int count, Reg value) {
    for (int lane = 0; lane < count; ++lane) value[lane] = from[lane];
    return value;
  }
  template <class T, class Reg>
  static void store_first(T* to, Reg value, int count) {
    for (int lane = 0; lane < count; ++lane) to[lane] = value[lane];
  }
};

}  // namespace tt::kernels
