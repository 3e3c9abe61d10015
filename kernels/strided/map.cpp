#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>

#include "kernels/strided/number.hpp"
#include "kernels/strided/streams.hpp"
#include "kernels/strided/walk.hpp"

namespace tt::kernels {
namespace {

// Guessed: a square of elements of 8 bytes is 8 KiB, two of them and their lines of C stay in the
// first-level cache.
constexpr std::int64_t tile = 32;
// Elements of a task without tiles.
constexpr std::int64_t task_elements = 16384;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// The loops of a map: inner is C's innermost axis, `across` the next one: where an operand is not
/// read along inner, the one that it is read along.
struct Loops {
  std::vector<Axis> outer;
  Axis inner, across;

  explicit Loops(std::vector<Axis> out) : outer(std::move(out)) {
    if (!outer.empty()) {
      inner = outer.back();
      outer.pop_back();
    }
    if (!take_across(&Axis::stride_A) && !take_across(&Axis::stride_B) && !outer.empty()) {
      across = outer.back();
      outer.pop_back();
    }
  }

  /// Whether an operand is a run along the inner axis, or repeats there.
  bool streams(std::int64_t Axis::*stride) const {
    return inner.*stride == 0 || inner.*stride == 1;
  }

 private:
  bool take_across(std::int64_t Axis::*stride) {
    if (streams(stride)) return false;
    const auto unit =
        std::ranges::find_if(outer, [&](const Axis& axis) { return axis.*stride == 1; });
    if (unit == outer.end()) return false;
    across = *unit;
    outer.erase(unit);
    return true;
  }
};

/// One operand of a tile: rows of neighbours (or of one repeated element).
template <class T>
struct Rows {
  const T* data = nullptr;
  std::int64_t row = 0, step = 1;
};

/// The corner of a tile in each tensor and its sizes: rows along `across`, columns along `inner`.
struct Tile {
  std::int64_t A, B, C, rows, columns;
};

template <class T>
class Map {
 public:
  Map(const KernelTable& isa, const Stream<T>& s)
      : s_(s), kernels_(streams_of(isa.strided, T{})), loops_(s.out) {
    const bool in_place = loops_.streams(&Axis::stride_A) &&
                          (!s.B || loops_.streams(&Axis::stride_B)) &&
                          (loops_.inner.stride_A == 1 || (s.B && loops_.inner.stride_B == 1));
    tile_columns_ = std::min(loops_.inner.extent, in_place ? task_elements : tile);
    tile_rows_ = std::min(loops_.across.extent, in_place ? task_elements / tile_columns_ : tile);
    vectors_ = loops_.inner.stride_C == 1 || loops_.inner.extent == 1;
    if constexpr (std::is_same_v<T, std::int64_t>)
      vectors_ = vectors_ && s.alpha == 1 && s.beta == 0;
  }

  bool run(const core::Exec& exec, const core::Decision& decision) {
    const std::int64_t down = ceil_div(loops_.across.extent, tile_rows_);
    const std::int64_t right = ceil_div(loops_.inner.extent, tile_columns_);
    const std::int64_t tiles = down * right;
    exec.for_tasks(
        decision, length(loops_.outer) * tiles,
        [&](std::int64_t first, std::int64_t last, int) {
          Odometer at(loops_.outer, first / tiles);
          bool fits = true;
          for (std::int64_t task = first; task < last; ++task) {
            fits = run_tile(tile_at(at, task % tiles / right, task % right)) && fits;
            if ((task + 1) % tiles == 0) at.advance();
          }
          if (!fits) fits_.store(false, std::memory_order_relaxed);
        },
        std::max<std::int64_t>(1, task_elements / (tile_rows_ * tile_columns_)));
    return fits_;
  }

 private:
  using Square = std::array<T, tile * tile>;

  Tile tile_at(const Odometer& at, std::int64_t down, std::int64_t right) const {
    const std::int64_t i = down * tile_rows_, j = right * tile_columns_;
    const Axis &across = loops_.across, &inner = loops_.inner;
    return {.A = at.A + i * across.stride_A + j * inner.stride_A,
            .B = at.B + i * across.stride_B + j * inner.stride_B,
            .C = at.C + i * across.stride_C + j * inner.stride_C,
            .rows = std::min(tile_rows_, across.extent - i),
            .columns = std::min(tile_columns_, inner.extent - j)};
  }

  bool run_tile(const Tile& t) const {
    if (!vectors_) return run_plainly(t);
    if (is_copy() && loops_.across.stride_A == 1 && !loops_.streams(&Axis::stride_A)) {
      transpose(s_.A + t.A, loops_.inner.stride_A, t, s_.C + t.C, loops_.across.stride_C);
      return true;
    }
    Square A_square, B_square;
    Rows<T> A = rows_of(s_.A + t.A, loops_.inner.stride_A, loops_.across.stride_A, t, A_square);
    Rows<T> B;
    if (s_.B) B = rows_of(s_.B + t.B, loops_.inner.stride_B, loops_.across.stride_B, t, B_square);
    bool conj_A = s_.conj_A, conj_B = s_.conj_B;
    if (A.step == 0 && s_.B && B.step == 1) {
      std::swap(A, B);
      std::swap(conj_A, conj_B);
    }
    if (A.step == 0) A = spread(A, t, A_square);
    const bool done = kernels_.map_rows({.c = reals(s_.C + t.C),
                                         .a = reals(A.data),
                                         .b = reals(B.data),
                                         .c_row = loops_.across.stride_C,
                                         .a_row = A.row,
                                         .b_row = B.row,
                                         .b_step = B.step,
                                         .rows = t.rows,
                                         .count = t.columns,
                                         .conj_a = conj_A,
                                         .conj_b = conj_B,
                                         .read = s_.beta != T(0),
                                         .alpha = {real_part(s_.alpha), imaginary_part(s_.alpha)},
                                         .beta = {real_part(s_.beta), imaginary_part(s_.beta)}});
    return done || run_plainly(t);
  }

  bool is_copy() const { return !s_.B && s_.alpha == T(1) && s_.beta == T(0) && !s_.conj_A; }

  void transpose(const T* from, std::int64_t from_row, const Tile& t, T* to,
                 std::int64_t to_row) const {
    kernels_.transpose({.to = reals(to),
                        .to_row = to_row,
                        .from = reals(from),
                        .from_row = from_row,
                        .rows = t.columns,
                        .columns = t.rows});
  }

  /// An operand's part of a tile: in place, transposed, or gathered.
  Rows<T> rows_of(const T* from, std::int64_t inner, std::int64_t across, const Tile& t,
                  Square& square) const {
    if (inner == 0 || inner == 1) return {from, across, inner};
    if (across == 1) {
      transpose(from, inner, t, square.data(), tile);
    } else {
      for (std::int64_t i = 0; i < t.rows; ++i)
        for (std::int64_t j = 0; j < t.columns; ++j)
          square[static_cast<std::size_t>(i * tile + j)] = from[i * across + j * inner];
    }
    return {square.data(), tile, 1};
  }

  /// Rows of one element each, element by element.
  Rows<T> spread(const Rows<T>& rows, const Tile& t, Square& square) const {
    for (std::int64_t i = 0; i < t.rows; ++i)
      std::fill_n(square.begin() + i * tile, t.columns, rows.data[i * rows.row]);
    return {square.data(), tile, 1};
  }

  /// What the vectors cannot do: scattered elements of C, int64 that may overflow.
  bool run_plainly(const Tile& t) const {
    const Axis &across = loops_.across, &inner = loops_.inner;
    bool fits = true;
    for (std::int64_t i = 0; i < t.rows; ++i)
      for (std::int64_t j = 0; j < t.columns; ++j) {
        const T a = conjugate_if(s_.conj_A, s_.A[t.A + i * across.stride_A + j * inner.stride_A]);
        Sum<T> sum;
        if (s_.B) {
          const T b = conjugate_if(s_.conj_B, s_.B[t.B + i * across.stride_B + j * inner.stride_B]);
          sum.add_product(a, b);
        } else {
          sum.add(a);
        }
        T& c = s_.C[t.C + i * across.stride_C + j * inner.stride_C];
        fits = sum.store(s_.alpha, s_.beta, c) && fits;
      }
    return fits;
  }

  const Stream<T>& s_;
  const StreamKernels<Real<T>>& kernels_;
  const Loops loops_;
  std::int64_t tile_rows_ = 1, tile_columns_ = 1;
  bool vectors_ = true;
  std::atomic<bool> fits_{true};
};

}  // namespace

template <class T>
bool map_stream(const core::Exec& exec, const core::Decision& decision, const KernelTable& isa,
                const Stream<T>& s) {
  return Map<T>(isa, s).run(exec, decision);
}

#define TT_INSTANTIATE(T)                                                                \
  template bool map_stream(const core::Exec&, const core::Decision&, const KernelTable&, \
                           const Stream<T>&);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
