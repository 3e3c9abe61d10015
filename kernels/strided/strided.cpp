#include "kernels/strided/strided.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "core/tensor/memory.hpp"
#include "kernels/strided/number.hpp"

namespace tt::kernels {
namespace {

// Guessed: leaf sums of 128 terms vectorise and keep the error of float32 small; a block of 128
// outputs keeps its sums in the first-level cache; chunks are long enough to be worth a dispatch.
constexpr std::int64_t leaf_terms = 128;
constexpr std::int64_t block_outputs = 128;
constexpr std::int64_t chunk_terms = 16384;
constexpr int lanes = 16;  // running sums of one row

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Walks the positions of a list of axes in order and keeps the offsets in A, B and C.
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

/// Up to `Count` consecutive positions as offsets, and their common stride in A and B when they have
/// one.
template <std::int64_t Count>
struct Offsets {
  std::array<std::int64_t, Count> A, B, C;
  std::int64_t count = 0;
  bool unit_A = false, unit_B = false, fixed_B = false;

  void fill(const std::vector<Axis>& axes, std::int64_t first, std::int64_t wanted) {
    Odometer at(axes, first);
    count = wanted;
    unit_A = unit_B = fixed_B = true;
    for (std::int64_t i = 0; i < count; ++i, at.advance()) {
      const auto u = static_cast<std::size_t>(i);
      A[u] = at.A;
      B[u] = at.B;
      C[u] = at.C;
      unit_A = unit_A && at.A == A[0] + i;
      unit_B = unit_B && at.B == B[0] + i;
      fixed_B = fixed_B && at.B == B[0];
    }
  }
};

template <class T>
using Sums = std::array<Sum<T>, block_outputs>;

template <class T>
class Summation {
 public:
  explicit Summation(const Stream<T>& s)
      : s_(s),
        outputs_(length(s.out)),
        terms_(length(s.in)),
        blocks_(ceil_div(outputs_, block_outputs)),
        chunks_(std::max<std::int64_t>(ceil_div(terms_, chunk_terms), 1)),
        by_rows_(!s.in.empty() && std::abs(s.in.back().stride_A) == 1) {}

  bool run(const core::Exec& exec, const core::Decision& decision) {
    if (outputs_ == 0) return true;
    core::Buffer partial_memory;
    if (chunks_ > 1) {
      partial_memory = core::Buffer(static_cast<std::size_t>(chunks_ * outputs_) * sizeof(Sum<T>),
                                    "partial sums");
      partials_ = reinterpret_cast<Sum<T>*>(partial_memory.data());
    }
    exec.for_tasks(decision, blocks_ * chunks_,
                   [&](std::int64_t first, std::int64_t last, int) {
                     for (std::int64_t task = first; task < last; ++task)
                       sum_task(task / chunks_, task % chunks_);
                   },
                   grain());
    if (chunks_ > 1)
      exec.for_tasks(core::Decision{}, blocks_, [&](std::int64_t first, std::int64_t last, int) {
        for (std::int64_t block = first; block < last; ++block) add_chunks(block);
      });
    return fits_;
  }

 private:
  /// Pieces long enough that claiming one costs nothing beside it.
  std::int64_t grain() const {
    const std::int64_t terms = std::min(terms_, chunk_terms) * block_outputs;
    return std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(terms, 1));
  }

  std::int64_t outputs_in(std::int64_t block) const {
    return std::min(block_outputs, outputs_ - block * block_outputs);
  }

  void sum_task(std::int64_t block, std::int64_t chunk) {
    Offsets<block_outputs> out;
    out.fill(s_.out, block * block_outputs, outputs_in(block));
    const std::int64_t first = chunk * chunk_terms;
    Sums<T> sums;
    sum_by_pairs(out, first, std::min(chunk_terms, terms_ - first), sums);
    if (chunks_ == 1) return store(out, sums);
    for (std::int64_t o = 0; o < out.count; ++o)
      partials_[chunk * outputs_ + block * block_outputs + o] = sums[static_cast<std::size_t>(o)];
  }

  /// Adds leaves as a binary counter does: two sums of 2^i leaves make one of 2^(i+1).
  void sum_by_pairs(const Offsets<block_outputs>& out, std::int64_t first, std::int64_t count,
                    Sums<T>& sums) const {
    constexpr std::size_t levels = 8;  // 2^8 leaves of 128 are more than a chunk
    std::array<Sums<T>, levels> waiting;
    const std::int64_t leaves = ceil_div(count, leaf_terms);
    const auto add = [&](Sums<T>& into, const Sums<T>& other) {
      for (std::int64_t o = 0; o < out.count; ++o)
        into[static_cast<std::size_t>(o)].add(other[static_cast<std::size_t>(o)]);
    };
    for (std::int64_t leaf = 0; leaf < leaves; ++leaf) {
      const std::int64_t at = leaf * leaf_terms;
      Sums<T> next = leaf_sums(out, first + at, std::min(leaf_terms, count - at));
      std::size_t level = 0;
      for (; leaf >> level & 1; ++level) add(next, waiting[level]);
      waiting[level] = next;
    }
    sums = {};
    for (std::size_t level = 0; level < levels; ++level)
      if (leaves >> level & 1) add(sums, waiting[level]);
  }

  Sums<T> leaf_sums(const Offsets<block_outputs>& out, std::int64_t first,
                    std::int64_t count) const {
    Offsets<leaf_terms> in;
    in.fill(s_.in, first, count);
    Sums<T> sums{};
    if (by_rows_) {
      for (std::int64_t o = 0; o < out.count; ++o) {
        const auto u = static_cast<std::size_t>(o);
        sums[u] = row_sum(s_.A + out.A[u], s_.B ? s_.B + out.B[u] : nullptr, in);
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        const auto u = static_cast<std::size_t>(i);
        add_column(out, s_.A + in.A[u], s_.B ? s_.B + in.B[u] : nullptr, sums);
      }
    }
    return sums;
  }

  T a_at(const T* a) const { return conjugate_if(s_.conj_A, *a); }
  T b_at(const T* b) const { return conjugate_if(s_.conj_B, *b); }

  /// One leaf of one output: running sums by position, then added by pairs.
  Sum<T> row_sum(const T* a, const T* b, const Offsets<leaf_terms>& in) const {
    std::array<Sum<T>, lanes> sums{};
    const auto each = [&](auto a_offset, auto b_offset) {
      for (std::int64_t i = 0; i < in.count; i += lanes)
        for (std::int64_t l = 0; l < std::min<std::int64_t>(lanes, in.count - i); ++l) {
          Sum<T>& sum = sums[static_cast<std::size_t>(l)];
          if (b)
            sum.add_product(a_at(a + a_offset(i + l)), b_at(b + b_offset(i + l)));
          else
            sum.add(a_at(a + a_offset(i + l)));
        }
    };
    const auto offset_A = [&](std::int64_t i) { return in.A[static_cast<std::size_t>(i)]; };
    const auto offset_B = [&](std::int64_t i) { return in.B[static_cast<std::size_t>(i)]; };
    if (in.unit_A && (!b || in.unit_B))
      each([&](std::int64_t i) { return in.A[0] + i; }, [&](std::int64_t i) { return in.B[0] + i; });
    else
      each(offset_A, offset_B);
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
      for (std::size_t l = 0; l < half; ++l) sums[l].add(sums[l + half]);
    return sums[0];
  }

  /// One term of every output of the block.
  void add_column(const Offsets<block_outputs>& out, const T* a, const T* b, Sums<T>& sums) const {
    const auto each = [&](auto a_offset, auto b_offset) {
      for (std::int64_t o = 0; o < out.count; ++o) {
        Sum<T>& sum = sums[static_cast<std::size_t>(o)];
        if (b)
          sum.add_product(a_at(a + a_offset(o)), b_at(b + b_offset(o)));
        else
          sum.add(a_at(a + a_offset(o)));
      }
    };
    const auto offset_A = [&](std::int64_t o) { return out.A[static_cast<std::size_t>(o)]; };
    const auto offset_B = [&](std::int64_t o) { return out.B[static_cast<std::size_t>(o)]; };
    if (out.unit_A && (!b || out.fixed_B))
      each([&](std::int64_t o) { return out.A[0] + o; }, [&](std::int64_t) { return out.B[0]; });
    else
      each(offset_A, offset_B);
  }

  /// The chunks of one block, added by pairs.
  void add_chunks(std::int64_t block) {
    Offsets<block_outputs> out;
    out.fill(s_.out, block * block_outputs, outputs_in(block));
    Sums<T> sums;
    for (std::int64_t o = 0; o < out.count; ++o) {
      Sum<T>* partial = partials_ + block * block_outputs + o;
      for (std::int64_t step = 1; step < chunks_; step *= 2)
        for (std::int64_t c = 0; c + step < chunks_; c += 2 * step)
          partial[c * outputs_].add(partial[(c + step) * outputs_]);
      sums[static_cast<std::size_t>(o)] = partial[0];
    }
    store(out, sums);
  }

  void store(const Offsets<block_outputs>& out, const Sums<T>& sums) {
    bool fits = true;
    for (std::int64_t o = 0; o < out.count; ++o) {
      const auto u = static_cast<std::size_t>(o);
      fits = sums[u].store(s_.alpha, s_.beta, s_.C[out.C[u]]) && fits;
    }
    if (!fits) fits_.store(false, std::memory_order_relaxed);
  }

  const Stream<T>& s_;
  const std::int64_t outputs_, terms_, blocks_, chunks_;
  const bool by_rows_;  // the terms lie one behind the other in A
  Sum<T>* partials_ = nullptr;
  std::atomic<bool> fits_{true};
};

/// The element by element form: tiles of the axis that C has innermost and of the one that A has
/// innermost, so that both are streamed along their cache lines.
template <class T>
class Elementwise {
 public:
  explicit Elementwise(const Stream<T>& s) : s_(s), outer_(s.out) {
    if (!outer_.empty()) {
      inner_ = outer_.back();
      outer_.pop_back();
    }
    if (std::abs(inner_.stride_A) == 1) return;
    const auto unit = std::ranges::find_if(
        outer_, [](const Axis& axis) { return std::abs(axis.stride_A) == 1; });
    if (unit == outer_.end()) return;
    across_ = *unit;
    outer_.erase(unit);
  }

  bool run(const core::Exec& exec, const core::Decision& decision) {
    const std::int64_t strips = ceil_div(across_.extent, tile);
    if (across_.extent == 0 || inner_.extent == 0) return true;
    const std::int64_t strip_elements = std::min(across_.extent, tile) * inner_.extent;
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / strip_elements);
    exec.for_tasks(
        decision, length(outer_) * strips,
        [&](std::int64_t first, std::int64_t last, int) {
          for (std::int64_t task = first; task < last; ++task) {
            const Odometer at(outer_, task / strips);
            if (!strip(at, task % strips * tile)) fits_.store(false, std::memory_order_relaxed);
          }
        },
        grain);
    return fits_;
  }

 private:
  static constexpr std::int64_t tile = 32;  // guessed: lines of 32 elements of 16 bytes in both

  bool strip(const Odometer& at, std::int64_t first) const {
    const std::int64_t last = std::min(first + tile, across_.extent);
    // Without a second axis there is nothing to tile: the whole line at once.
    const std::int64_t run = across_.extent == 1 ? inner_.extent : tile;
    bool fits = true;
    for (std::int64_t i = 0; i < inner_.extent; i += run)
      for (std::int64_t j = first; j < last; ++j)
        fits = line(at.A + j * across_.stride_A + i * inner_.stride_A,
                    at.B + j * across_.stride_B + i * inner_.stride_B,
                    at.C + j * across_.stride_C + i * inner_.stride_C,
                    std::min(run, inner_.extent - i)) &&
               fits;
    return fits;
  }

  bool line(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t count) const {
    const T* A = s_.A + a;
    const T* B = s_.B ? s_.B + b : nullptr;
    T* C = s_.C + c;
    bool fits = true;
    const auto each = [&](std::int64_t step_A, std::int64_t step_B, std::int64_t step_C) {
      for (std::int64_t i = 0; i < count; ++i) {
        Sum<T> sum{};
        if (B)
          sum.add_product(conjugate_if(s_.conj_A, A[i * step_A]),
                          conjugate_if(s_.conj_B, B[i * step_B]));
        else
          sum.add(conjugate_if(s_.conj_A, A[i * step_A]));
        fits = sum.store(s_.alpha, s_.beta, C[i * step_C]) && fits;
      }
    };
    if (inner_.stride_C != 1)
      each(inner_.stride_A, inner_.stride_B, inner_.stride_C);
    else if (inner_.stride_A == 1 && inner_.stride_B == 1)
      each(1, 1, 1);
    else if (inner_.stride_A == 1 && inner_.stride_B == 0)
      each(1, 0, 1);
    else if (inner_.stride_A == 0 && inner_.stride_B == 1)
      each(0, 1, 1);
    else
      each(inner_.stride_A, inner_.stride_B, 1);
    return fits;
  }

  const Stream<T>& s_;
  std::vector<Axis> outer_;
  Axis inner_, across_;
  std::atomic<bool> fits_{true};
};

}  // namespace

template <class T>
bool stream(const core::Exec& exec, const core::Decision& decision, const Stream<T>& s) {
  if (exec.dry()) return true;
  if (s.in.empty()) return Elementwise<T>(s).run(exec, decision);
  return Summation<T>(s).run(exec, decision);
}

std::uint64_t stream_scratch_bytes(std::int64_t outputs, std::int64_t terms, core::DType dtype) {
  const std::int64_t chunks = ceil_div(terms, chunk_terms);
  if (chunks < 2) return 0;
  const std::uint64_t bytes =
      dtype == core::DType::int64 ? sizeof(Sum<std::int64_t>) : core::dtype_bytes(dtype);
  return core::saturating_product(static_cast<std::uint64_t>(chunks * outputs), bytes);
}

#define TT_INSTANTIATE(T) \
  template bool stream(const core::Exec&, const core::Decision&, const Stream<T>&);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
