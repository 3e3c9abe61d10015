// AVX2 with FMA: the operations of vector.hpp that need intrinsics.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/isa/vector.hpp"

namespace tt::kernels {

struct Avx2 {
  static constexpr int bytes = 32;
  static constexpr int registers = 16;
  static constexpr bool cheap_masks = false;
  typedef std::int64_t I64 __attribute__((vector_size(32)));

  static __m256 fma(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
  static __m256d fma(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
  static I64 fma(I64 a, I64 b, I64 c) { return multiply(a, b) + c; }
  static __m256 fnma(__m256 a, __m256 b, __m256 c) { return _mm256_fnmadd_ps(a, b, c); }
  static __m256d fnma(__m256d a, __m256d b, __m256d c) { return _mm256_fnmadd_pd(a, b, c); }
  static I64 fnma(I64 a, I64 b, I64 c) { return c - multiply(a, b); }
  static __m256 multiply(__m256 a, __m256 b) { return _mm256_mul_ps(a, b); }
  static __m256d multiply(__m256d a, __m256d b) { return _mm256_mul_pd(a, b); }
  // The compiler builds the 64-bit product from three 32-bit ones.
  static I64 multiply(I64 a, I64 b) { return a * b; }

  static __m256 load_first(const float* from, int count, __m256) {
    return _mm256_maskload_ps(from, first_lanes_32(count));
  }
  static __m256d load_first(const double* from, int count, __m256d) {
    return _mm256_maskload_pd(from, first_lanes_64(count));
  }
  static I64 load_first(const std::int64_t* from, int count, I64) {
    return reinterpret_cast<I64>(
        _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), first_lanes_64(count)));
  }
  static void store_first(float* to, __m256 value, int count) {
    _mm256_maskstore_ps(to, first_lanes_32(count), value);
  }
  static void store_first(double* to, __m256d value, int count) {
    _mm256_maskstore_pd(to, first_lanes_64(count), value);
  }
  static void store_first(std::int64_t* to, I64 value, int count) {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(to), first_lanes_64(count),
                           reinterpret_cast<__m256i>(value));
  }

 private:
  static __m256i first_lanes_32(int count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static __m256i first_lanes_64(int count) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
  }
};

}  // namespace tt::kernels
