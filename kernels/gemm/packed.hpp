// The blocked product: Y packed in stretches of nc columns by kc, X in blocks of mc rows by kc, the
// register tile over them (the loops of Goto and van de Geijn, as in BLIS). The parts are tasks:
// serial_product runs them in order, staged.hpp's on a team.
#pragma once

#include <cstdint>

#include "kernels/gemm/blocking.hpp"
#include "kernels/gemm/oriented.hpp"

namespace tt::kernels {

/// One (jc, pc) of the loops: columns [j0, j0 + columns) of Y and depth [k0, k0 + depth).
struct Stage {
  std::int64_t j0, columns, k0, depth;
  bool first;  // of its columns: C is scaled by beta here, and added to by the later ones
};

/// Stages of the depths [k_first, k_end); the depth runs fastest.
std::int64_t stage_count(const Blocking& blocking, std::int64_t len_y, std::int64_t depth);
Stage stage_at(const Blocking& blocking, std::int64_t len_y, std::int64_t k_first,
               std::int64_t k_end, std::int64_t index);

/// Packs panels [first, last) of the stage's Y (panels of nr columns) into the stretch at
/// `packed_Y`.
template <class T>
void pack_Y_panels(const OrientedProduct<T>& product, const Stage& stage, std::int64_t first,
                   std::int64_t last, T* packed_Y);

/// C[i0 : i0 + rows, panels] += X Y of the stage: packs its rows of X to `packed_X` and runs the
/// tiles with panels [first, last) of Y. rows is at most max_block_rows.
template <class T>
void multiply_block(const OrientedProduct<T>& product, const Stage& stage, std::int64_t i0,
                    std::int64_t rows, std::int64_t first, std::int64_t last, const T* packed_Y,
                    T* packed_X);

/// The product over the depths [k_first, k_end) by the caller alone; scratch is x_bytes + y_bytes.
template <class T>
void serial_product(const OrientedProduct<T>& product, std::int64_t k_first, std::int64_t k_end,
                    const Blocking& blocking, std::byte* scratch);

}  // namespace tt::kernels
