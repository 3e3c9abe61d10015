#include "kernels/gemm/deep.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "core/team/progress.hpp"
#include "core/tensor/dtype.hpp"
#include "kernels/gemm/direct.hpp"
#include "kernels/gemm/packed.hpp"
#include "kernels/gemm/slots.hpp"

namespace tt::kernels {
namespace {

/// factor * value; a real factor multiplies the parts, as in the register tile.
template <class T>
T scaled(const Real<T> (&factor)[2], T value) {
  if constexpr (Element<T>::planes == 1) {
    return factor[0] * value;
  } else {
    const auto re = value.real(), im = value.imag();
    if (factor[1] == Real<T>(0)) return {factor[0] * re, factor[0] * im};
    return {factor[0] * re - factor[1] * im, factor[0] * im + factor[1] * re};
  }
}

/// The axes of an index with the strides of a dense array in place of C's: `unit` is the
/// innermost's.
std::vector<PairAxis> dense_in_C(std::span<const PairAxis> axes, std::int64_t unit) {
  std::vector<PairAxis> dense(axes.begin(), axes.end());
  for (std::size_t i = dense.size(); i-- > 0; unit *= dense[i].extent) dense[i].stride_Y = unit;
  return dense;
}

/// Adds the chunks of elements [first, last) pairwise: neighbours, then neighbours of pairs, ...
template <class T>
void add_chunks(T* partial, std::int64_t chunks, std::int64_t size, std::int64_t first,
                std::int64_t last) {
  for (std::int64_t step = 1; step < chunks; step *= 2)
    for (std::int64_t c = 0; c + step < chunks; c += 2 * step)
      for (std::int64_t e = first; e < last; ++e)
        partial[c * size + e] += partial[(c + step) * size + e];
}

/// C = alpha * sums + beta * C for columns [first, last) of Y.
template <class T>
void write_columns(const OrientedProduct<T>& product, const T* sums, std::int64_t first,
                   std::int64_t last) {
  const auto& update = product.update;
  std::array<std::ptrdiff_t, deep_side_max> rows;
  fill_offsets(product.x, 0, product.len_x, nullptr, rows.data());
  for (std::int64_t j = first; j < last; ++j) {
    std::ptrdiff_t column = 0;
    fill_offsets(product.y, j, 1, nullptr, &column);
    for (std::int64_t i = 0; i < product.len_x; ++i) {
      T& c = product.C[column + rows[static_cast<std::size_t>(i)]];
      T value = scaled<T>(update.alpha, sums[j * product.len_x + i]);
      if (update.read) value += scaled<T>(update.beta, c);
      c = value;
    }
  }
}

/// The tasks of an item are numbered behind those of the item before: first its chunks, then the
/// writers, which add the chunks of a range of columns and write it.
///
/// What orders the accesses to partial sums item % 2: its chunks write them after the writers of
/// item - 2 are done (written_), the writers read them after all chunks (chunks_done_). One counter
/// a parity is exact, since chunks of item + 2 cannot begin before the item is over.
template <class T>
class DeepRun {
 public:
  DeepRun(const Blocking& blocking, const OrientedProduct<T>& sizes,
          const std::function<OrientedProduct<T>(std::int64_t)>& product_at, std::byte* scratch)
      : b_(blocking),
        product_at_(product_at),
        scratch_(scratch),
        own_bytes_(blocking.x_bytes + blocking.y_bytes),
        x_(dense_in_C(sizes.x, 1)),
        y_(dense_in_C(sizes.y, sizes.len_x)),
        direct_(can_run_direct(sizes)),
        writers_(std::min<std::int64_t>(sizes.len_y, 8)) {}

  std::int64_t tasks_an_item() const { return b_.chunks + writers_; }

  void run(std::int64_t task, int slot) {
    const std::int64_t item = task / tasks_an_item(), part = task % tasks_an_item();
    const OrientedProduct<T> product = product_at_(item);
    T* partial = reinterpret_cast<T*>(scratch_ + b_.width * own_bytes_ +
                                      item % b_.partial_buffers * b_.partial_bytes);
    if (part < b_.chunks) {
      multiply(product, item, part, partial, scratch_ + slot * own_bytes_);
    } else {
      write(product, item, part - b_.chunks, partial);
    }
  }

 private:
  void multiply(const OrientedProduct<T>& product, std::int64_t item, std::int64_t chunk,
                T* partial, std::byte* own) {
    const auto parity = static_cast<std::size_t>(item % 2);
    written_[parity].wait_for(item / 2 * writers_);
    OrientedProduct<T> part = product;
    part.x = x_;
    part.y = y_;
    part.C = partial + chunk * product.len_x * product.len_y;
    part.update.alpha[0] = Real<T>(1);
    part.update.alpha[1] = Real<T>(0);
    part.update.read = false;
    const std::int64_t first = chunk * b_.chunk_depth;
    const std::int64_t end = std::min(first + b_.chunk_depth, product.depth);
    if (direct_) {
      direct_product(part, first, end, own);
    } else {
      serial_product(part, first, end, b_, own);
    }
    chunks_done_[parity].advance();
  }

  void write(const OrientedProduct<T>& product, std::int64_t item, std::int64_t writer,
             T* partial) {
    const auto parity = static_cast<std::size_t>(item % 2);
    chunks_done_[parity].wait_for((item / 2 + 1) * b_.chunks);
    const std::int64_t first = product.len_y * writer / writers_;
    const std::int64_t last = product.len_y * (writer + 1) / writers_;
    add_chunks(partial, b_.chunks, product.len_x * product.len_y, first * product.len_x,
               last * product.len_x);
    write_columns(product, partial, first, last);
    written_[parity].advance();
  }

  const Blocking& b_;
  const std::function<OrientedProduct<T>(std::int64_t)>& product_at_;
  std::byte* scratch_;
  std::int64_t own_bytes_;
  std::vector<PairAxis> x_, y_;
  bool direct_;
  std::int64_t writers_;
  core::Progress chunks_done_[2], written_[2];
};

}  // namespace

template <class T>
void deep_products(const core::Exec& exec, const core::Decision& decision, std::int64_t items,
                   const std::function<OrientedProduct<T>(std::int64_t)>& product_at,
                   const Blocking& blocking, std::byte* scratch) {
  DeepRun<T> run(blocking, product_at(0), product_at, scratch);
  MemberSlots slots(exec);
  exec.for_tasks(decision, items * run.tasks_an_item(),
                 [&](std::int64_t first, std::int64_t last, int member) {
                   const int slot = slots.of(member);
                   for (std::int64_t task = first; task < last; ++task) run.run(task, slot);
                 });
}

#define TT_INSTANTIATE(T)                                                                \
  template void deep_products<T>(const core::Exec&, const core::Decision&, std::int64_t, \
                                 const std::function<OrientedProduct<T>(std::int64_t)>&, \
                                 const Blocking&, std::byte*);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
