// A product with its operands named by what the register tile does with them: X lies along the
// vector lanes, Y is broadcast. Which of A and B is X changes the speed, never the bits.
#pragma once

#include <complex>
#include <cstdint>
#include <span>

#include "kernels/gemm/gemm.hpp"
#include "kernels/gemm/index.hpp"
#include "kernels/gemm/micro/kernels.hpp"
#include "kernels/isa/element.hpp"

namespace tt::kernels {

inline const TileKernels<float>& tiles_of(const GemmKernels& k, float) {
  return k.f32;
}
inline const TileKernels<double>& tiles_of(const GemmKernels& k, double) {
  return k.f64;
}
inline const TileKernels<float>& tiles_of(const GemmKernels& k, std::complex<float>) {
  return k.c64;
}
inline const TileKernels<double>& tiles_of(const GemmKernels& k, std::complex<double>) {
  return k.c128;
}
inline const TileKernels<std::int64_t>& tiles_of(const GemmKernels& k, std::int64_t) {
  return k.i64;
}

template <class T>
struct OrientedProduct {
  const T* X = nullptr;
  const T* Y = nullptr;
  T* C = nullptr;
  std::span<const PairAxis> x, y;  // strides in (X, C) and in (Y, C)
  std::span<const PairAxis> k;     // strides in (A, B): (Y, X) when swapped
  bool swapped = false;            // X is B
  std::int64_t len_x = 1, len_y = 1, depth = 1;
  TileUpdate<Real<T>> update{};
  const TileKernels<Real<T>>* tiles = nullptr;

  void fill_k(std::int64_t first, std::int64_t count, std::ptrdiff_t* in_X,
              std::ptrdiff_t* in_Y) const {
    fill_offsets(k, first, count, swapped ? in_Y : in_X, swapped ? in_X : in_Y);
  }
};

/// The update of the later blocks of a sum: C = C + alpha * sums.
template <class R>
TileUpdate<R> adding(TileUpdate<R> update) {
  update.read = true;
  update.beta[0] = R(1);
  update.beta[1] = R(0);
  return update;
}

/// Chooses X and Y: X has the index that is contiguous in C, unless it is too short for a vector.
template <class T>
OrientedProduct<T> orient(const Product<T>& product, const KernelTable& isa);

}  // namespace tt::kernels
