// Shuffles inside one vector that the streaming kernels share: sums of lanes and the parts of
// interleaved complex elements.
#pragma once

#include "kernels/isa/vector.hpp"

namespace tt::kernels {

template <class Arch, class R>
struct Pairs {
  using V = Vec<Arch, R>;
  using Reg = typename V::Reg;
  static constexpr int width = V::width;

  /// (re0 im0 re1 im1 ..) -> (im0 re0 im1 re1 ..), (re0 re0 ..), (im0 im0 ..).
  static Reg swapped(Reg x) { return swapped(x, Lanes<__integer_pack(width)...>{}); }
  static Reg first(Reg x) { return first(x, Lanes<__integer_pack(width)...>{}); }
  static Reg second(Reg x) { return second(x, Lanes<__integer_pack(width)...>{}); }
  /// (a b a b ..).
  static Reg alternating(R a, R b) { return alternating(a, b, Lanes<__integer_pack(width)...>{}); }

  /// The sum of all lanes (step 1), or of the even and of the odd lanes in lanes 0 and 1 (step 2),
  /// by halves.
  template <int step>
  static Reg add_lanes(Reg x) {
    return add_halves<width / 2, step>(x);
  }

 private:
  template <int half, int step>
  static Reg add_halves(Reg x) {
    if constexpr (half < step) {
      return x;
    } else {
      return add_halves<half / 2, step>(x + rotated<half>(x, Lanes<__integer_pack(width)...>{}));
    }
  }
  template <int by, int... I>
  static Reg rotated(Reg x, Lanes<I...>) {
    return __builtin_shufflevector(x, x, ((I + by) % width)...);
  }
  template <int... I>
  static Reg swapped(Reg x, Lanes<I...>) {
    return __builtin_shufflevector(x, x, (I ^ 1)...);
  }
  template <int... I>
  static Reg first(Reg x, Lanes<I...>) {
    return __builtin_shufflevector(x, x, (I & ~1)...);
  }
  template <int... I>
  static Reg second(Reg x, Lanes<I...>) {
    return __builtin_shufflevector(x, x, (I | 1)...);
  }
  template <int... I>
  static Reg alternating(R a, R b, Lanes<I...>) {
    return Reg{(I % 2 == 0 ? a : b)...};
  }
};

/// Products of int64 modulo 2^64: what is too large is found by WideBits.
template <class Arch>
typename Vec<Arch, std::int64_t>::Reg wrapping_product(typename Vec<Arch, std::int64_t>::Reg a,
                                                       typename Vec<Arch, std::int64_t>::Reg b) {
  typedef std::uint64_t Unsigned __attribute__((vector_size(Arch::bytes)));
  return reinterpret_cast<typename Vec<Arch, std::int64_t>::Reg>(reinterpret_cast<Unsigned>(a) *
                                                                 reinterpret_cast<Unsigned>(b));
}

/// What is gathered about int64 values on the way: whether any is out of 32 bits, so that a product
/// might be wrong.
template <class Arch>
struct WideBits {
  using V = Vec<Arch, std::int64_t>;
  typename V::Reg bits = {};

  void see(typename V::Reg value) { bits = bits | (value ^ (value >> 63)); }
  bool none() const {
    std::int64_t all = 0;
    for (int lane = 0; lane < V::width; ++lane) all |= bits[lane];
    return all >> 31 == 0;
  }
};

/// A sum of int64 in two halves that cannot overflow: low 32 bits and the rest.
template <class Arch>
struct SplitSum {
  using V = Vec<Arch, std::int64_t>;
  typename V::Reg low = {}, high = {};

  void add(typename V::Reg value) {
    low = low + (value & V::broadcast(0xffffffff));
    high = high + (value >> 32);
  }
  void add(const SplitSum& other) {
    low = low + other.low;
    high = high + other.high;
  }
};

}  // namespace tt::kernels
