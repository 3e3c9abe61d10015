// AVX-512 (F, DQ, BW, VL): the operations of vector.hpp that need intrinsics.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/isa/vector.hpp"

namespace tt::kernels {

struct Avx512 {
  static constexpr int bytes = 64;
  static constexpr int registers = 32;
  static constexpr bool cheap_masks = true;
  typedef std::int64_t I64 __attribute__((vector_size(64)));

  static __m512 fma(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
  static __m512d fma(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
  static I64 fma(I64 a, I64 b, I64 c) { return multiply(a, b) + c; }
  static __m512 fnma(__m512 a, __m512 b, __m512 c) { return _mm512_fnmadd_ps(a, b, c); }
  static __m512d fnma(__m512d a, __m512d b, __m512d c) { return _mm512_fnmadd_pd(a, b, c); }
  static I64 fnma(I64 a, I64 b, I64 c) { return c - multiply(a, b); }
  static __m512 multiply(__m512 a, __m512 b) { return _mm512_mul_ps(a, b); }
  static __m512d multiply(__m512d a, __m512d b) { return _mm512_mul_pd(a, b); }
  static I64 multiply(I64 a, I64 b) {
    return reinterpret_cast<I64>(
        _mm512_mullo_epi64(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }

  static __m512 load_first(const float* from, int count, __m512) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), from);
  }
  static __m512d load_first(const double* from, int count, __m512d) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), from);
  }
  static I64 load_first(const std::int64_t* from, int count, I64) {
    return reinterpret_cast<I64>(
        _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << count) - 1), from));
  }
  static void store_first(float* to, __m512 value, int count) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << count) - 1), value);
  }
  static void store_first(double* to, __m512d value, int count) {
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << count) - 1), value);
  }
  static void store_first(std::int64_t* to, I64 value, int count) {
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>((1u << count) - 1),
                             reinterpret_cast<__m512i>(value));
  }
};

}  // namespace tt::kernels
