// Operands made on the spot, "@spd:512x512,float32,seed=7": shape and dtype are known from the
// text, the numbers come into being when they are loaded, so a dry run of any size costs nothing.
#pragma once

#include <memory>
#include <string_view>

#include "io/source.hpp"

namespace tt::io {

/// Opens "@[KIND:]DIMxDIM...[,dtype][,seed=N]" ("@()" is a scalar), `selection` the brackets behind
/// it.
///   normal      standard normal; both parts of a complex number; integers are 10 times that,
///   rounded uniform     [0, 1), both parts; integers 0 to 99 spd         symmetric (Hermitian)
///   with normal entries and a dominant diagonal: positive definite hermitian   Hermitian
///   (symmetric) with normal entries orthogonal  orthonormal columns: the first of a product of up
///   to 16 random reflections eye, zeros, ones, arange (C order), hilbert (1 / (i + j + 1))
///   sparse=D    normal numbers with probability D, else 0
/// Kinds of matrices fill the last two axes, one matrix an item. Throws Error(usage) on other text.
std::unique_ptr<Source> open_generated(std::string_view text, std::string_view selection);

}  // namespace tt::io
