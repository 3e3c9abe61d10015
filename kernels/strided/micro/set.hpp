// The table entries of one instruction set.
#pragma once

#include "kernels/strided/micro/kernels.hpp"
#include "kernels/strided/micro/map.hpp"
#include "kernels/strided/micro/sums.hpp"

namespace tt::kernels {

template <class Arch, class R>
constexpr StreamKernels<R> real_streams() {
  return {.sum_rows = float_rows<Arch, R, 1>,
          .sum_columns = float_columns<Arch, R, 1>,
          .map_rows = float_maps<Arch, R, 1>,
          .transpose = transpose_tile<Arch, R, 1>};
}

template <class Arch, class R>
constexpr StreamKernels<R> complex_streams() {
  return {.sum_rows = float_rows<Arch, R, 2>,
          .sum_columns = float_columns<Arch, R, 2>,
          .map_rows = float_maps<Arch, R, 2>,
          .transpose = transpose_tile<Arch, R, 2>};
}

template <class Arch>
constexpr StridedKernels strided_kernels() {
  return {.f32 = real_streams<Arch, float>(),
          .f64 = real_streams<Arch, double>(),
          .c64 = complex_streams<Arch, float>(),
          .c128 = complex_streams<Arch, double>(),
          .i64 = {.sum_rows = integer_rows<Arch>,
                  .sum_columns = integer_columns<Arch>,
                  .map_rows = integer_maps<Arch>,
                  .transpose = transpose_tile<Arch, std::int64_t, 1>}};
}

}  // namespace tt::kernels
