// NEON of 64-bit ARM: the operations of vector.hpp that need intrinsics.
#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "kernels/isa/vector.hpp"

namespace tt::kernels {

struct Neon64 {
  static constexpr int bytes = 16;
  static constexpr int registers = 32;
  static constexpr bool cheap_masks = false;

  static float32x4_t fma(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
  static float64x2_t fma(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmaq_f64(c, a, b); }
  static int64x2_t fma(int64x2_t a, int64x2_t b, int64x2_t c) { return a * b + c; }
  static float32x4_t fnma(float32x4_t a, float32x4_t b, float32x4_t c) {
    return vfmsq_f32(c, a, b);
  }
  static float64x2_t fnma(float64x2_t a, float64x2_t b, float64x2_t c) {
    return vfmsq_f64(c, a, b);
  }
  static int64x2_t fnma(int64x2_t a, int64x2_t b, int64x2_t c) { return c - a * b; }
  template <class Reg>
  static Reg multiply(Reg a, Reg b) {
    return a * b;
  }

  // Base NEON has no masked access: lanes go one by one.
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
