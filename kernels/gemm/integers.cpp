#include "kernels/gemm/integers.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/gemm/index.hpp"

namespace tt::kernels {
namespace {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

std::uint64_t magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? ~bits + 1 : bits;
}

/// An axis of one tensor.
struct Axis {
  std::int64_t extent, stride;
};

/// The largest magnitude among the elements that the axes reach.
std::uint64_t largest(const std::int64_t* data, std::span<const Axis> axes) {
  if (axes.empty()) return magnitude(*data);
  std::uint64_t most = 0;
  if (axes.size() == 1) {
    for (std::int64_t i = 0; i < axes[0].extent; ++i)
      most = std::max(most, magnitude(data[i * axes[0].stride]));
    return most;
  }
  for (std::int64_t i = 0; i < axes[0].extent; ++i)
    most = std::max(most, largest(data + i * axes[0].stride, axes.subspan(1)));
  return most;
}

/// The axes that move in a tensor, the smallest stride innermost: the order of a scan is free.
std::uint64_t largest_of(const std::int64_t* data, std::vector<Axis> axes) {
  std::erase_if(axes, [](const Axis& axis) { return axis.stride == 0 || axis.extent == 1; });
  std::sort(axes.begin(), axes.end(),
            [](const Axis& a, const Axis& b) { return magnitude(a.stride) > magnitude(b.stride); });
  return largest(data, axes);
}

enum class Side : std::uint8_t { X, Y };

void append(std::vector<Axis>& to, std::span<const PairAxis> axes, Side side) {
  for (const PairAxis& axis : axes)
    to.push_back({axis.extent, side == Side::X ? axis.stride_X : axis.stride_Y});
}

/// A sum of products of 64-bit integers: exact for up to 2^63 terms.
struct WideSum {
  Int128 low = 0;
  std::int64_t carry = 0;  // the sum is low + carry * 2^128

  void add(std::int64_t a, std::int64_t b) {
    const Int128 term = static_cast<Int128>(a) * b;
    if (__builtin_add_overflow(low, term, &low)) carry += term < 0 ? -1 : 1;
  }

  /// alpha * sum + beta * c if it fits. A sum beyond 128 bits cannot come back: |beta c| < 2^127.
  std::optional<std::int64_t> result(std::int64_t alpha, std::int64_t beta, std::int64_t c) const {
    const Int128 old = static_cast<Int128>(beta) * c;
    Int128 total = 0;
    if (alpha != 0) {
      if (carry != 0 || __builtin_mul_overflow(low, static_cast<Int128>(alpha), &total))
        return std::nullopt;
    }
    if (__builtin_add_overflow(total, old, &total)) return std::nullopt;
    if (total < std::numeric_limits<std::int64_t>::min() ||
        total > std::numeric_limits<std::int64_t>::max())
      return std::nullopt;
    return static_cast<std::int64_t>(total);
  }
};

constexpr std::int64_t columns_a_block = 64, depth_a_block = 256;

/// Row i of one item, columns [j0, j0 + columns): the sums, then the elements. False on overflow.
bool exact_row(const Product<std::int64_t>& p, const BatchOffsets& at, std::int64_t i,
               std::int64_t j0, std::int64_t columns) {
  std::array<WideSum, columns_a_block> sums{};
  std::array<std::ptrdiff_t, columns_a_block> B_columns, C_columns;
  std::array<std::ptrdiff_t, depth_a_block> A_depth, B_depth;
  std::ptrdiff_t A_row = 0, C_row = 0;
  fill_offsets(p.m, i, 1, &A_row, &C_row);
  fill_offsets(p.n, j0, columns, B_columns.data(), C_columns.data());
  const std::int64_t depth = index_length(p.k);
  for (std::int64_t k0 = 0; k0 < depth; k0 += depth_a_block) {
    const std::int64_t count = std::min(depth_a_block, depth - k0);
    fill_offsets(p.k, k0, count, A_depth.data(), B_depth.data());
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      const std::int64_t a = p.A[at.A + A_row + A_depth[k]];
      const std::int64_t* B = p.B + at.B + B_depth[k];
      for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j)
        sums[j].add(a, B[B_columns[j]]);
    }
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j) {
    std::int64_t& c = p.C[at.C + C_row + C_columns[j]];
    const auto value = sums[j].result(p.alpha, p.beta, p.beta == 0 ? 0 : c);
    if (!value) return false;
    c = *value;
  }
  return true;
}

}  // namespace

bool cannot_overflow(const Product<std::int64_t>& p) {
  std::vector<Axis> A, B, C;
  append(A, p.m, Side::X);
  append(A, p.k, Side::X);
  append(B, p.n, Side::X);
  append(B, p.k, Side::Y);
  append(C, p.m, Side::Y);
  append(C, p.n, Side::Y);
  for (const BatchAxis& axis : p.batch) {
    A.push_back({axis.extent, axis.stride_A});
    B.push_back({axis.extent, axis.stride_B});
    C.push_back({axis.extent, axis.stride_C});
  }
  const std::int64_t depth = index_length(p.k);
  constexpr Uint128 limit = static_cast<Uint128>(std::numeric_limits<std::int64_t>::max());
  Uint128 bound = 0;
  if (depth > 0) {
    // The sums themselves must fit too, whatever alpha makes of them.
    bound = static_cast<Uint128>(largest_of(p.A, A)) * largest_of(p.B, B);
    if (bound > limit) return false;
    bound *= static_cast<std::uint64_t>(depth);
    if (bound > limit) return false;
    bound *= std::max<std::uint64_t>(magnitude(p.alpha), 1);
    if (bound > limit) return false;
  }
  if (p.beta != 0) bound += static_cast<Uint128>(magnitude(p.beta)) * largest_of(p.C, C);
  return bound <= limit;
}

bool exact_product(const core::Exec& exec, const core::Decision& decision,
                   const Product<std::int64_t>& p) {
  const std::int64_t len_m = index_length(p.m), len_n = index_length(p.n);
  const std::int64_t items = batch_length(p.batch);
  const std::int64_t blocks = (len_n + columns_a_block - 1) / columns_a_block;
  std::atomic<bool> fits{true};
  exec.for_tasks(decision, items * len_m, [&](std::int64_t first, std::int64_t last, int) {
    for (std::int64_t row = first; row < last; ++row) {
      const BatchOffsets at = batch_offsets(p.batch, row / len_m);
      for (std::int64_t block = 0; block < blocks; ++block) {
        if (!fits.load(std::memory_order_relaxed)) return;
        const std::int64_t j0 = block * columns_a_block;
        if (!exact_row(p, at, row % len_m, j0, std::min(columns_a_block, len_n - j0)))
          fits.store(false, std::memory_order_relaxed);
      }
    }
  });
  return fits.load();
}

}  // namespace tt::kernels
