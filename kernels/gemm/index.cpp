#include "kernels/gemm/index.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"

namespace tt::kernels {
namespace {

/// The axes but the innermost, as an odometer: their digits and the offsets that these add up to.
struct Odometer {
  static constexpr std::size_t max_axes = 64;
  std::array<std::int64_t, max_axes> digits;
  std::int64_t offset_X = 0, offset_Y = 0;

  void seek(std::span<const PairAxis> outer, std::int64_t position) {
    TT_CHECK_LE(outer.size(), max_axes);
    for (std::size_t i = outer.size(); i-- > 0;) {
      digits[i] = position % outer[i].extent;
      position /= outer[i].extent;
      offset_X += digits[i] * outer[i].stride_X;
      offset_Y += digits[i] * outer[i].stride_Y;
    }
  }

  void step(std::span<const PairAxis> outer) {
    for (std::size_t i = outer.size(); i-- > 0;) {
      offset_X += outer[i].stride_X;
      offset_Y += outer[i].stride_Y;
      if (++digits[i] < outer[i].extent) return;
      offset_X -= outer[i].extent * outer[i].stride_X;
      offset_Y -= outer[i].extent * outer[i].stride_Y;
      digits[i] = 0;
    }
  }
};

}  // namespace

std::int64_t index_length(std::span<const PairAxis> axes) {
  std::int64_t length = 1;
  for (const PairAxis& axis : axes) length *= axis.extent;
  return length;
}

std::int64_t batch_length(std::span<const BatchAxis> axes) {
  std::int64_t length = 1;
  for (const BatchAxis& axis : axes) length *= axis.extent;
  return length;
}

BatchOffsets batch_offsets(std::span<const BatchAxis> axes, std::int64_t item) {
  BatchOffsets at;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::int64_t digit = i == 0 ? item : item % axes[i].extent;
    item /= axes[i].extent;
    at.A += digit * axes[i].stride_A;
    at.B += digit * axes[i].stride_B;
    at.C += digit * axes[i].stride_C;
  }
  return at;
}

void fill_offsets(std::span<const PairAxis> axes, std::int64_t first, std::int64_t count,
                  std::ptrdiff_t* offsets_X, std::ptrdiff_t* offsets_Y) {
  const PairAxis inner = axes.empty() ? PairAxis{1, 0, 0} : axes.back();
  const auto outer = axes.empty() ? axes : axes.first(axes.size() - 1);
  Odometer odometer;
  std::int64_t digit = first;
  if (!outer.empty() && count > 0) {
    digit = first % inner.extent;
    odometer.seek(outer, first / inner.extent);
  }
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t run = std::min(count - done, inner.extent - digit);
    const std::int64_t start_X = odometer.offset_X + digit * inner.stride_X;
    const std::int64_t start_Y = odometer.offset_Y + digit * inner.stride_Y;
    for (std::int64_t i = 0; offsets_X && i < run; ++i)
      offsets_X[done + i] = start_X + i * inner.stride_X;
    for (std::int64_t i = 0; offsets_Y && i < run; ++i)
      offsets_Y[done + i] = start_Y + i * inner.stride_Y;
    done += run;
    digit = 0;
    if (done < count) odometer.step(outer);
  }
}

}  // namespace tt::kernels
