#include "kernels/gemm/staged.hpp"

#include <algorithm>
#include <vector>

#include "core/team/progress.hpp"
#include "core/tensor/dtype.hpp"
#include "kernels/gemm/packed.hpp"
#include "kernels/gemm/slots.hpp"

namespace tt::kernels {
namespace {

/// The tasks of stage s (counted over all items) are numbered behind those of stage s - 1: first
/// `pack_tasks` that pack Y into stretch s % 2, then blocks_x * chunks_y that multiply.
///
/// What orders the accesses:
/// (1) the stretch: packing stage s writes it after all multiplications of stage s - 2 have read it
///     (multiplied_[s % 2]); multiplications of s read it after all its packing (packed_[s % 2]).
///     One counter a parity is exact, since packing of s + 2 cannot begin before stage s is over.
/// (2) a block of C: the stages of one block in ascending order (block_done_), which fixes the
/// order
///     of its sums.
template <class T>
class StagedRun {
 public:
  StagedRun(const Blocking& blocking, std::int64_t items, const OrientedProduct<T>& sizes,
            const std::function<OrientedProduct<T>(std::int64_t)>& product_at, std::byte* scratch)
      : b_(blocking),
        product_at_(product_at),
        scratch_(scratch),
        depth_(sizes.depth),
        stages_an_item_(stage_count(blocking, sizes.len_y, sizes.depth)),
        stages_(stages_an_item_ * items),
        blocks_(blocking.blocks_x * blocking.chunks_y),
        block_done_(static_cast<std::size_t>(blocks_)) {}

  std::int64_t tasks() const { return stages_ * (b_.pack_tasks + blocks_); }

  void run(std::int64_t task, int slot) {
    const std::int64_t s = task / (b_.pack_tasks + blocks_);
    const std::int64_t part = task % (b_.pack_tasks + blocks_);
    const OrientedProduct<T> product = product_at_(s / stages_an_item_);
    const Stage stage = stage_at(b_, product.len_y, 0, depth_, s % stages_an_item_);
    if (part < b_.pack_tasks) {
      pack(product, stage, s, part);
    } else {
      multiply(product, stage, s, part - b_.pack_tasks, slot);
    }
  }

 private:
  struct Range {
    std::int64_t first, last;
  };

  T* stretch(std::int64_t s) const {
    return reinterpret_cast<T*>(scratch_ + s % b_.y_buffers * b_.y_bytes);
  }
  T* block_of(int slot) const {
    return reinterpret_cast<T*>(scratch_ + b_.y_buffers * b_.y_bytes + slot * b_.x_bytes);
  }

  /// Part `part` of `parts` of the stage's panels of Y.
  static Range panels(const OrientedProduct<T>& product, const Stage& stage, std::int64_t part,
                      std::int64_t parts) {
    const std::int64_t all = (stage.columns + product.tiles->nr - 1) / product.tiles->nr;
    return {all * part / parts, all * (part + 1) / parts};
  }

  void pack(const OrientedProduct<T>& product, const Stage& stage, std::int64_t s,
            std::int64_t part) {
    const auto parity = static_cast<std::size_t>(s % 2);
    multiplied_[parity].wait_for(s / 2 * blocks_);
    const Range range = panels(product, stage, part, b_.pack_tasks);
    pack_Y_panels(product, stage, range.first, range.last, stretch(s));
    packed_[parity].advance();
  }

  void multiply(const OrientedProduct<T>& product, const Stage& stage, std::int64_t s,
                std::int64_t block, int slot) {
    const auto parity = static_cast<std::size_t>(s % 2);
    packed_[parity].wait_for((s / 2 + 1) * b_.pack_tasks);
    core::Progress& done = block_done_[static_cast<std::size_t>(block)];
    done.wait_for(s);
    const std::int64_t i0 = block / b_.chunks_y * b_.mc;
    const Range range = panels(product, stage, block % b_.chunks_y, b_.chunks_y);
    multiply_block(product, stage, i0, std::min(b_.mc, product.len_x - i0), range.first, range.last,
                   stretch(s), block_of(slot));
    done.advance();
    multiplied_[parity].advance();
  }

  const Blocking& b_;
  const std::function<OrientedProduct<T>(std::int64_t)>& product_at_;
  std::byte* scratch_;
  std::int64_t depth_, stages_an_item_, stages_, blocks_;
  core::Progress packed_[2], multiplied_[2];
  std::vector<core::Progress> block_done_;
};

}  // namespace

template <class T>
void staged_products(const core::Exec& exec, const core::Decision& decision, std::int64_t items,
                     const std::function<OrientedProduct<T>(std::int64_t)>& product_at,
                     const Blocking& blocking, std::byte* scratch) {
  StagedRun<T> run(blocking, items, product_at(0), product_at, scratch);
  MemberSlots slots(exec);
  exec.for_tasks(decision, run.tasks(), [&](std::int64_t first, std::int64_t last, int member) {
    const int slot = slots.of(member);
    for (std::int64_t task = first; task < last; ++task) run.run(task, slot);
  });
}

#define TT_INSTANTIATE(T)                                                                  \
  template void staged_products<T>(const core::Exec&, const core::Decision&, std::int64_t, \
                                   const std::function<OrientedProduct<T>(std::int64_t)>&, \
                                   const Blocking&, std::byte*);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
