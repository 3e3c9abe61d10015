// Positions of a list of axes as offsets in A, B and C: one after the other, or a block at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/contract/axes.hpp"

namespace tt::kernels {

/// Walks the positions of a list of axes in order and keeps the offsets. The list must outlive it
/// and hold no extent of 0.
class Odometer {
 public:
  Odometer(const std::vector<Axis>& axes, std::int64_t first) : axes_(axes), at_(axes.size()) {
    for (std::size_t i = axes.size(); i-- > 0;) {
      at_[i] = first % axes[i].extent;
      first /= axes[i].extent;
      A += at_[i] * axes[i].stride_A;
      B += at_[i] * axes[i].stride_B;
      C += at_[i] * axes[i].stride_C;
    }
  }

  void advance() {
    for (std::size_t i = axes_.size(); i-- > 0;) {
      const Axis& axis = axes_[i];
      A += axis.stride_A;
      B += axis.stride_B;
      C += axis.stride_C;
      if (++at_[i] < axis.extent) return;
      at_[i] = 0;
      A -= axis.extent * axis.stride_A;
      B -= axis.extent * axis.stride_B;
      C -= axis.extent * axis.stride_C;
    }
  }

  std::int64_t A = 0, B = 0, C = 0;

 private:
  const std::vector<Axis>& axes_;
  std::vector<std::int64_t> at_;
};

/// Up to `limit` consecutive positions as offsets.
template <std::size_t limit>
struct Offsets {
  std::array<std::ptrdiff_t, limit> A, B, C;
  std::size_t count = 0;

  void fill(const std::vector<Axis>& axes, std::int64_t first, std::int64_t wanted) {
    count = static_cast<std::size_t>(wanted);
    Odometer at(axes, first);
    for (std::size_t i = 0; i < count; ++i, at.advance()) {
      A[i] = at.A;
      B[i] = at.B;
      C[i] = at.C;
    }
  }
};

}  // namespace tt::kernels
