#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <span>

#include "core/tensor/memory.hpp"
#include "kernels/strided/number.hpp"
#include "kernels/strided/streams.hpp"
#include "kernels/strided/walk.hpp"

namespace tt::kernels {
namespace {

// The bits of a sum follow from the first two. Guessed: a leaf along rows is long against the fold
// of its lanes at the end, one across rows short for its one chain of additions.
constexpr std::int64_t row_leaf = 1024;
constexpr std::int64_t column_leaf = 128;
// Terms of a task: a whole tree of leaves of either kind, long enough to be worth claiming.
constexpr std::int64_t chunk_terms = 4096;
// Sums of a task. Guessed: pieces of 2 KiB of every row keep the prefetcher busy.
constexpr std::size_t block_rows = 64;
constexpr std::size_t block_columns = 256;
constexpr std::size_t row_group = 2;  // long rows that advance together: the kernels take pairs

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// Adds leaves by pairs as a binary counter does: two sums of 2^i leaves make one of 2^(i+1).
template <class T, std::size_t count, std::size_t levels>
class PairTree {
 public:
  using Node = std::array<Sum<T>, count>;

  void add(Node& leaf, std::size_t used) {
    std::size_t level = 0;
    for (; leaves_ >> level & 1; ++level) add_to(leaf, waiting_[level], used);
    std::copy_n(leaf.begin(), used, waiting_[level].begin());
    ++leaves_;
  }

  void finish(Node& sum, std::size_t used) const {
    std::fill_n(sum.begin(), used, Sum<T>{});
    for (std::size_t level = 0; level < levels; ++level)
      if (leaves_ >> level & 1) add_to(sum, waiting_[level], used);
  }

 private:
  static void add_to(Node& to, const Node& from, std::size_t used) {
    for (std::size_t i = 0; i < used; ++i) to[i].add(from[i]);
  }

  std::array<Node, levels> waiting_;
  std::size_t leaves_ = 0;
};

/// What a kernel wrote as sums of `count` elements.
template <class T, std::size_t limit>
class KernelSums {
 public:
  Real<T>* data() { return raw_.data(); }
  void move_to(Sum<T>* sums, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<T, std::int64_t>) {
        sums[i] = {};
        sums[i].add(raw_[2 * i]);
        sums[i].add_product(raw_[2 * i + 1], std::int64_t{1} << 32);
      } else if constexpr (Element<T>::planes == 2) {
        sums[i].value = {raw_[2 * i], raw_[2 * i + 1]};
      } else {
        sums[i].value = raw_[i];
      }
    }
  }

 private:
  std::array<Real<T>, 2 * limit> raw_;
};

/// Terms [first, first + count) of one tensor, copied to neighbouring places. `outer` and `inner`
/// are the axes of the terms.
template <class T>
void gather(const std::vector<Axis>& outer, const Axis& inner, std::int64_t Axis::*stride,
            const T* from, std::int64_t first, std::int64_t count, T* to) {
  const std::int64_t step = inner.*stride;
  std::int64_t place = first % inner.extent;
  Odometer at(outer, first / inner.extent);
  for (std::int64_t done = 0; done < count; at.advance()) {
    const std::int64_t run = std::min(inner.extent - place, count - done);
    const T* line = from + (stride == &Axis::stride_A ? at.A : at.B) + place * step;
    if (step == 1) {
      std::copy_n(line, run, to + done);
    } else {
      for (std::int64_t i = 0; i < run; ++i) to[done + i] = line[i * step];
    }
    done += run;
    place = 0;
  }
}

template <class T>
class Summation {
 public:
  Summation(const KernelTable& isa, const Stream<T>& s)
      : s_(s),
        kernels_(streams_of(isa.strided, T{})),
        out_(s.out),
        in_outer_(s.in.begin(), s.in.end() - 1),
        terms_(length(s.in)),
        chunks_(std::max<std::int64_t>(ceil_div(terms_, chunk_terms), 1)) {
    // Neighbouring sums read neighbouring elements of A, the larger tensor.
    std::ranges::stable_sort(out_, [](const Axis& a, const Axis& b) {
      return std::abs(a.stride_A) > std::abs(b.stride_A);
    });
    fuse(out_);
    outputs_ = length(out_);
    take_columns();
    lines_ = columns_ ? ceil_div(columns_->extent, std::int64_t{block_columns}) : 1;
    blocks_ = columns_ ? length(out_) * lines_ : ceil_div(outputs_, std::int64_t{block_rows});
  }

  bool run(const core::Exec& exec, const core::Decision& decision) {
    core::Buffer partial_memory;
    if (chunks_ > 1) {
      partial_memory = core::Buffer(static_cast<std::size_t>(chunks_ * outputs_) * sizeof(Sum<T>),
                                    "partial sums");
      partials_ = reinterpret_cast<Sum<T>*>(partial_memory.data());
    }
    exec.for_tasks(
        decision, blocks_ * chunks_,
        [&](std::int64_t first, std::int64_t last, int) {
          for (std::int64_t task = first; task < last; ++task)
            run_task(task / chunks_, task % chunks_);
        },
        grain());
    // One section is what the gate was asked for: the chunks, few against the terms, are serial.
    for (std::int64_t block = 0; chunks_ > 1 && block < blocks_; ++block) add_chunks(block);
    return fits_;
  }

 private:
  static constexpr std::size_t block_limit = std::max(block_rows, block_columns);
  using Block = Offsets<block_limit>;
  using Nodes = std::array<Sum<T>, block_limit>;

  /// Takes the axis along which sums and elements of A are neighbours out of out_, if there is one
  /// and A's terms are not neighbours themselves.
  void take_columns() {
    if (s_.in.back().stride_A == 1) return;
    const auto unit =
        std::ranges::find_if(out_, [](const Axis& axis) { return axis.stride_A == 1; });
    if (unit == out_.end()) return;
    if (s_.B && unit->stride_B != 0 && unit->stride_B != 1) return;
    columns_ = *unit;
    out_.erase(unit);
  }

  /// Pieces long enough that claiming one costs nothing beside it.
  std::int64_t grain() const {
    const std::int64_t sums = columns_ ? std::min<std::int64_t>(columns_->extent, block_columns)
                                       : std::min<std::int64_t>(outputs_, block_rows);
    const std::int64_t work = std::max<std::int64_t>(std::min(terms_, chunk_terms) * sums, 1);
    return std::max<std::int64_t>(1, 32768 / work);
  }

  /// The number of the first sum of a block, and the offsets of all of them.
  std::int64_t locate(std::int64_t block, Block& sums) const {
    if (!columns_) {
      const std::int64_t first = block * std::int64_t{block_rows};
      sums.fill(out_, first, std::min<std::int64_t>(block_rows, outputs_ - first));
      return first;
    }
    const Odometer line(out_, block / lines_);
    const std::int64_t first = block % lines_ * std::int64_t{block_columns};
    sums.count =
        static_cast<std::size_t>(std::min<std::int64_t>(block_columns, columns_->extent - first));
    for (std::size_t i = 0; i < sums.count; ++i) {
      const std::int64_t at = first + static_cast<std::int64_t>(i);
      sums.A[i] = line.A + at;
      sums.B[i] = line.B + at * columns_->stride_B;
      sums.C[i] = line.C + at * columns_->stride_C;
    }
    return block / lines_ * columns_->extent + first;
  }

  void run_task(std::int64_t block, std::int64_t chunk) {
    Block sums;
    const std::int64_t number = locate(block, sums);
    const std::int64_t first = chunk * chunk_terms;
    const std::int64_t terms = std::min(chunk_terms, terms_ - first);
    Nodes nodes;
    if (terms == 0) {
      nodes.fill({});
    } else if (columns_) {
      sum_columns(sums, first, terms, nodes);
    } else {
      sum_rows(sums, first, terms, nodes);
    }
    if (chunks_ == 1) return store(sums, nodes);
    std::copy_n(nodes.begin(), sums.count, partials_ + chunk * outputs_ + number);
  }

  void sum_columns(const Block& sums, std::int64_t first, std::int64_t terms, Nodes& nodes) const {
    constexpr std::size_t levels = 6;
    static_assert(chunk_terms / column_leaf < 1 << levels);
    if (terms <= column_leaf) return column_sums(sums, first, terms, nodes);
    PairTree<T, block_limit, levels> tree;
    for (std::int64_t at = 0; at < terms; at += column_leaf) {
      column_sums(sums, first + at, std::min(column_leaf, terms - at), nodes);
      tree.add(nodes, sums.count);
    }
    tree.finish(nodes, sums.count);
  }

  /// One leaf of every sum of the block.
  void column_sums(const Block& sums, std::int64_t first, std::int64_t terms, Nodes& nodes) const {
    Offsets<column_leaf> in;
    in.fill(s_.in, first, terms);
    KernelSums<T, block_limit> raw;
    const T* B = s_.B ? s_.B + sums.B[0] : nullptr;
    const bool done = kernels_.sum_columns({.a = reals(s_.A + sums.A[0]),
                                            .a_terms = in.A.data(),
                                            .b = reals(B),
                                            .b_terms = in.B.data(),
                                            .b_step = columns_->stride_B,
                                            .terms = terms,
                                            .count = static_cast<std::ptrdiff_t>(sums.count),
                                            .conj_a = s_.conj_A,
                                            .conj_b = s_.conj_B,
                                            .sums = raw.data()});
    if (done) return raw.move_to(nodes.data(), sums.count);
    for (std::size_t o = 0; o < sums.count; ++o) {
      nodes[o] = {};
      for (std::size_t i = 0; i < in.count; ++i)
        nodes[o].add_product(s_.A[sums.A[o] + in.A[i]], s_.B[sums.B[o] + in.B[i]]);
    }
  }

  void sum_rows(const Block& sums, std::int64_t first, std::int64_t terms, Nodes& nodes) const {
    constexpr std::size_t levels = 3;
    static_assert(chunk_terms / row_leaf < 1 << levels);
    if (terms <= row_leaf) return row_sums(sums, 0, sums.count, first, terms, nodes.data());
    for (std::size_t row = 0; row < sums.count; row += row_group) {
      const std::size_t rows = std::min(row_group, sums.count - row);
      PairTree<T, row_group, levels> tree;
      std::array<Sum<T>, row_group> node;
      for (std::int64_t at = 0; at < terms; at += row_leaf) {
        row_sums(sums, row, rows, first + at, std::min(row_leaf, terms - at), node.data());
        tree.add(node, rows);
      }
      tree.finish(node, rows);
      std::copy_n(node.begin(), rows, nodes.begin() + static_cast<std::ptrdiff_t>(row));
    }
  }

  /// Whether terms [first, first + count) of a tensor are neighbours.
  bool are_neighbours(std::int64_t Axis::*stride, std::int64_t first, std::int64_t count) const {
    const Axis& inner = s_.in.back();
    return inner.*stride == 1 && first % inner.extent + count <= inner.extent;
  }

  /// One leaf of `rows` sums of the block. Terms that are not neighbours are gathered; those of B,
  /// when all sums share them, once.
  void row_sums(const Block& sums, std::size_t row, std::size_t rows, std::int64_t first,
                std::int64_t count, Sum<T>* nodes) const {
    static constexpr std::array<std::ptrdiff_t, block_rows> origin{};
    std::array<T, row_leaf> A_terms, B_terms;
    const Odometer start(s_.in, first);
    const bool direct_A = are_neighbours(&Axis::stride_A, first, count);
    const bool direct_B = !s_.B || are_neighbours(&Axis::stride_B, first, count);
    const auto B_rows = std::span(sums.B).subspan(row, rows);
    const bool shared_B =
        s_.B && std::ranges::all_of(B_rows, [&](std::ptrdiff_t at) { return at == B_rows[0]; });
    const auto gather_B = [&](std::size_t r) {
      gather(in_outer_, s_.in.back(), &Axis::stride_B, s_.B + B_rows[r], first, count,
             B_terms.data());
    };
    if (direct_A && (direct_B || shared_B)) {
      if (!direct_B) gather_B(0);
      const T* B = !s_.B ? nullptr : direct_B ? s_.B + start.B : B_terms.data();
      return call_rows(s_.A + start.A, sums.A.data() + row, B,
                       direct_B ? B_rows.data() : origin.data(), rows, count, nodes);
    }
    for (std::size_t r = 0; r < rows; ++r) {
      const T* A = s_.A + start.A + sums.A[row + r];
      const T* B = s_.B ? s_.B + start.B + B_rows[r] : nullptr;
      if (!direct_A) {
        gather(in_outer_, s_.in.back(), &Axis::stride_A, s_.A + sums.A[row + r], first, count,
               A_terms.data());
        A = A_terms.data();
      }
      if (!direct_B) {
        if (r == 0 || !shared_B) gather_B(r);
        B = B_terms.data();
      }
      call_rows(A, origin.data(), B, origin.data(), 1, count, nodes + r);
    }
  }

  void call_rows(const T* A, const std::ptrdiff_t* A_rows, const T* B, const std::ptrdiff_t* B_rows,
                 std::size_t rows, std::int64_t count, Sum<T>* nodes) const {
    KernelSums<T, block_rows> raw;
    const bool done = kernels_.sum_rows({.a = reals(A),
                                         .a_rows = A_rows,
                                         .b = reals(B),
                                         .b_rows = B_rows,
                                         .rows = static_cast<std::ptrdiff_t>(rows),
                                         .count = count,
                                         .conj_a = s_.conj_A,
                                         .conj_b = s_.conj_B,
                                         .sums = raw.data()});
    if (done) return raw.move_to(nodes, rows);
    for (std::size_t r = 0; r < rows; ++r) {
      nodes[r] = {};
      for (std::int64_t i = 0; i < count; ++i)
        nodes[r].add_product(A[A_rows[r] + i], B[B_rows[r] + i]);
    }
  }

  /// The chunks of one block, added by pairs.
  void add_chunks(std::int64_t block) {
    Block sums;
    Nodes nodes;
    Sum<T>* partials = partials_ + locate(block, sums);
    for (std::size_t o = 0; o < sums.count; ++o) {
      for (std::int64_t step = 1; step < chunks_; step *= 2)
        for (std::int64_t c = 0; c + step < chunks_; c += 2 * step)
          partials[c * outputs_].add(partials[(c + step) * outputs_]);
      nodes[o] = *partials++;
    }
    store(sums, nodes);
  }

  void store(const Block& sums, const Nodes& nodes) {
    bool fits = true;
    for (std::size_t o = 0; o < sums.count; ++o)
      fits = nodes[o].store(s_.alpha, s_.beta, s_.C[sums.C[o]]) && fits;
    if (!fits) fits_.store(false, std::memory_order_relaxed);
  }

  const Stream<T>& s_;
  const StreamKernels<Real<T>>& kernels_;
  std::vector<Axis> out_;        // but columns_
  std::vector<Axis> in_outer_;   // the axes of the terms but the innermost
  std::optional<Axis> columns_;  // sums along it are computed together; none: row by row
  const std::int64_t terms_, chunks_;
  std::int64_t outputs_ = 0, lines_ = 1, blocks_ = 0;
  Sum<T>* partials_ = nullptr;  // by chunk, then by number of the sum
  std::atomic<bool> fits_{true};
};

}  // namespace

template <class T>
bool sum_stream(const core::Exec& exec, const core::Decision& decision, const KernelTable& isa,
                const Stream<T>& s) {
  return Summation<T>(isa, s).run(exec, decision);
}

std::uint64_t stream_scratch_bytes(std::int64_t outputs, std::int64_t terms, core::DType dtype) {
  const std::int64_t chunks = ceil_div(terms, chunk_terms);
  if (chunks < 2) return 0;
  const std::uint64_t bytes =
      dtype == core::DType::int64 ? sizeof(Sum<std::int64_t>) : core::dtype_bytes(dtype);
  return core::saturating_product(core::saturating_product(static_cast<std::uint64_t>(chunks),
                                                           static_cast<std::uint64_t>(outputs)),
                                  bytes);
}

#define TT_INSTANTIATE(T)                                                                \
  template bool sum_stream(const core::Exec&, const core::Decision&, const KernelTable&, \
                           const Stream<T>&);
TT_FOR_EACH_DTYPE(TT_INSTANTIATE)
#undef TT_INSTANTIATE

}  // namespace tt::kernels
