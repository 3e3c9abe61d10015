#include "kernels/gemm/gemm.hpp"

#include <algorithm>
#include <complex>
#include <type_traits>
#include <utility>

#include "kernels/gemm/blocking.hpp"
#include "kernels/gemm/deep.hpp"
#include "kernels/gemm/direct.hpp"
#include "kernels/gemm/integers.hpp"
#include "kernels/gemm/oriented.hpp"
#include "kernels/gemm/packed.hpp"
#include "kernels/gemm/scratch.hpp"
#include "kernels/gemm/slots.hpp"
#include "kernels/gemm/staged.hpp"

namespace tt::kernels {
namespace {

template <class R>
TileShape shape_of(const TileKernels<R>& tiles, std::size_t element_bytes) {
  return {tiles.mr, tiles.nr, tiles.kc, static_cast<int>(element_bytes)};
}

template <class T>
ProductSize size_of(const OrientedProduct<T>& product, std::int64_t items) {
  return {product.len_x, product.len_y, product.depth, items};
}

/// The product of one item of the batch.
template <class T>
OrientedProduct<T> item_of(const OrientedProduct<T>& all, std::span<const BatchAxis> batch,
                           std::int64_t item) {
  const BatchOffsets at = batch_offsets(batch, item);
  OrientedProduct<T> one = all;
  one.X += all.swapped ? at.B : at.A;
  one.Y += all.swapped ? at.A : at.B;
  one.C += at.C;
  return one;
}

/// Scratch that serves either choice of X, so that it follows from the sizes alone.
std::uint64_t scratch_for(ProductSize size, const TileShape& tile, int width) {
  const std::uint64_t one = choose_blocking(size, tile, width).scratch_bytes();
  std::swap(size.x, size.y);
  return std::max(one, choose_blocking(size, tile, width).scratch_bytes());
}

/// Pieces of work for a section: few enough that claiming them costs nothing, enough to balance.
std::int64_t grain_for(double work_of_one, std::int64_t tasks, int width) {
  if (width == 1) return tasks;
  constexpr double work_of_piece = 1 << 18;  // multiply-adds, guessed: several microseconds
  const double balanced = std::max(1.0, static_cast<double>(tasks / (4 * width)));
  return static_cast<std::int64_t>(std::clamp(work_of_piece / work_of_one, 1.0, balanced));
}

template <class T>
double work_of(const OrientedProduct<T>& product) {
  return static_cast<double>(product.len_x) * static_cast<double>(product.len_y) *
         static_cast<double>(product.depth);
}

/// Every item by one member: on one member this is the whole product, and the place to begin
/// reading.
template <class T>
void run_items(const core::Exec& exec, const core::Decision& decision,
               const OrientedProduct<T>& all, std::span<const BatchAxis> batch,
               const Blocking& blocking, std::byte* scratch) {
  const std::int64_t items = batch_length(batch);
  const std::int64_t own_bytes = blocking.x_bytes + blocking.y_bytes;
  MemberSlots slots(exec);
  exec.for_tasks(
      decision, items,
      [&](std::int64_t first, std::int64_t last, int member) {
        std::byte* own = scratch + slots.of(member) * own_bytes;
        for (std::int64_t item = first; item < last; ++item)
          serial_product(item_of(all, batch, item), 0, all.depth, blocking, own);
      },
      grain_for(work_of(all), items, blocking.width));
}

/// Small and thin items in place; one that has few companions in parts.
template <class T>
void run_direct(const core::Exec& exec, const core::Decision& decision,
                const OrientedProduct<T>& all, std::span<const BatchAxis> batch,
                const Blocking& blocking, std::byte* scratch) {
  const std::int64_t items = batch_length(batch);
  const DirectCut cut = cut_direct(all, items < 4 * blocking.width ? blocking.width : 1);
  MemberSlots slots(exec);
  exec.for_tasks(
      decision, items * cut.parts,
      [&](std::int64_t first, std::int64_t last, int member) {
        std::byte* own = scratch + slots.of(member) * blocking.x_bytes;
        for (std::int64_t task = first; task < last; ++task) {
          const OrientedProduct<T> item = item_of(all, batch, task / cut.parts);
          if (cut.parts == 1) {
            direct_product(item, 0, item.depth, own);
          } else {
            direct_product(part_of(item, cut, task % cut.parts), 0, item.depth, own);
          }
        }
      },
      grain_for(work_of(all) / static_cast<double>(cut.parts), items * cut.parts, blocking.width));
}

/// C = beta * C, the product over an empty sum.
template <class T>
void scale_result(const core::Exec& exec, const core::Decision& decision, const Product<T>& p) {
  const std::int64_t len_m = index_length(p.m), len_n = index_length(p.n);
  const auto scale_row = [&](T* C, std::int64_t row) {
    std::ptrdiff_t from = 0;
    fill_offsets(p.m, row, 1, nullptr, &from);
    for (std::int64_t j = 0; j < len_n; ++j) {
      std::ptrdiff_t column = 0;
      fill_offsets(p.n, j, 1, nullptr, &column);
      T& c = C[from + column];
      c = p.beta == T(0) ? T(0) : p.beta * c;
    }
  };
  exec.for_tasks(decision, batch_length(p.batch) * len_m,
                 [&](std::int64_t first, std::int64_t last, int) {
                   for (std::int64_t row = first; row < last; ++row)
                     scale_row(p.C + batch_offsets(p.batch, row / len_m).C, row % len_m);
                 });
}

template <class T>
void run_product(const core::Exec& exec, core::Decision decision, const KernelTable& isa,
                 const Product<T>& product) {
  const std::int64_t items = batch_length(product.batch);
  const OrientedProduct<T> all = orient(product, isa);
  const TileShape tile = shape_of(*all.tiles, sizeof(T));
  const int width = decision.parallel ? decision.width : 1;
  const Blocking blocking = choose_blocking(size_of(all, items), tile, width);
  decision.width = blocking.width;  // no more members than have scratch
  decision.parallel = decision.parallel && blocking.width > 1;
  const Scratch scratch(scratch_for(size_of(all, items), tile, width));
  if (blocking.route != GemmRoute::deep && can_run_direct(all))
    return run_direct(exec, decision, all, product.batch, blocking, scratch.data());
  const auto product_at = [&](std::int64_t item) { return item_of(all, product.batch, item); };
  switch (blocking.route) {
    case GemmRoute::items:
      return run_items(exec, decision, all, product.batch, blocking, scratch.data());
    case GemmRoute::deep:
      return deep_products<T>(exec, decision, items, product_at, blocking, scratch.data());
    case GemmRoute::staged:
      return staged_products<T>(exec, decision, items, product_at, blocking, scratch.data());
  }
}

}  // namespace

template <class T>
bool gemm(const core::Exec& exec, const core::Decision& decision, const KernelTable& isa,
          const Product<T>& product) {
  if (exec.dry()) return true;
  if (batch_length(product.batch) == 0 || index_length(product.m) == 0 ||
      index_length(product.n) == 0)
    return true;
  if constexpr (std::is_same_v<T, std::int64_t>) {
    if (!cannot_overflow(product)) return exact_product(exec, decision, product);
  }
  if (index_length(product.k) == 0) {
    scale_result(exec, decision, product);
  } else {
    run_product(exec, decision, isa, product);
  }
  return true;
}

std::uint64_t gemm_scratch_bytes(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch,
                                 core::DType dtype, const KernelTable& isa, int members) {
  if (m == 0 || n == 0 || k == 0 || batch == 0) return 0;
  const ProductSize size = {m, n, k, batch};
  const GemmKernels& g = isa.gemm;
  switch (dtype) {
    case core::DType::float32:
      return scratch_for(size, shape_of(g.f32, 4), members);
    case core::DType::complex64:
      return scratch_for(size, shape_of(g.c64, 8), members);
    case core::DType::complex128:
      return scratch_for(size, shape_of(g.c128, 16), members);
    case core::DType::int64:
      return scratch_for(size, shape_of(g.i64, 8), members);
    default:
      return scratch_for(size, shape_of(g.f64, 8), members);
  }
}

#define TT_INSTANTIATE(T)                                                             \
  template bool gemm<T>(const core::Exec&, const core::Decision&, const KernelTable&, \
                        const Product<T>&);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
