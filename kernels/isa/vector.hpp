// Vectors of plain elements for the micro headers, the part that needs no intrinsics: loads,
// stores, broadcasts, interleaving, transposition. GCC's vector extension lowers it to whatever the
// flags of the including ISA file allow. Every template names its Arch, so no two ISAs share a
// symbol.
//
// An Arch (ops_*.hpp) adds: `bytes` (the register size), `registers`, `fma`, `fnma`, `multiply`,
// and loads and stores of the first `count` lanes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tt::kernels {

template <int... I>
struct Lanes {};

template <class Arch, class T>
struct Vec {
  static constexpr int width = Arch::bytes / static_cast<int>(sizeof(T));
  typedef T Reg __attribute__((vector_size(Arch::bytes)));

  static Reg load(const T* from) {
    typedef T Unaligned __attribute__((vector_size(Arch::bytes), aligned(alignof(T)), may_alias));
    return *reinterpret_cast<const Unaligned*>(from);
  }
  static void store(T* to, Reg value) {
    typedef T Unaligned __attribute__((vector_size(Arch::bytes), aligned(alignof(T)), may_alias));
    *reinterpret_cast<Unaligned*>(to) = value;
  }
  /// The first `count` lanes, zeros behind; reads nothing beyond them. count is 0..width.
  static Reg load_first(const T* from, int count) {
    return count >= width ? load(from) : Arch::load_first(from, count, Reg{});
  }
  static void store_first(T* to, Reg value, int count) {
    if (count >= width) {
      store(to, value);
    } else {
      Arch::store_first(to, value, count);
    }
  }
  static Reg zero() { return Reg{}; }
  static Reg broadcast(T value) { return value - Reg{}; }  // x - 0 keeps every x, -0 too
  /// a * b + c, fused where the Arch has it; fnma is c - a * b. Integers wrap.
  static Reg fma(Reg a, Reg b, Reg c) { return Arch::fma(a, b, c); }
  static Reg fnma(Reg a, Reg b, Reg c) { return Arch::fnma(a, b, c); }
  static Reg multiply(Reg a, Reg b) { return Arch::multiply(a, b); }

  /// (a0 a1 ..), (b0 b1 ..) -> (a0 b0 a1 b1 ..): the lower half of the result and the upper.
  static void interleave(Reg a, Reg b, Reg& low, Reg& high) {
    interleave(a, b, low, high, Lanes<__integer_pack(width)...>{});
  }
  /// The inverse: elements of even and of odd places of (low, high).
  static void deinterleave(Reg low, Reg high, Reg& even, Reg& odd) {
    deinterleave(low, high, even, odd, Lanes<__integer_pack(width)...>{});
  }
  /// Transposes a square of registers: log2(width) rounds of perfect shuffles.
  static void transpose(Reg (&rows)[width]) {
    for (int round = 1; round < width; round *= 2) {
      Reg next[width];
#pragma GCC unroll 16
      for (int i = 0; i < width / 2; ++i)
        interleave(rows[i], rows[i + width / 2], next[2 * i], next[2 * i + 1]);
#pragma GCC unroll 16
      for (int i = 0; i < width; ++i) rows[i] = next[i];
    }
  }

 private:
  template <int... I>
  static void interleave(Reg a, Reg b, Reg& low, Reg& high, Lanes<I...>) {
    low = __builtin_shufflevector(a, b, (I / 2 + I % 2 * width)...);
    high = __builtin_shufflevector(a, b, (width / 2 + I / 2 + I % 2 * width)...);
  }
  template <int... I>
  static void deinterleave(Reg low, Reg high, Reg& even, Reg& odd, Lanes<I...>) {
    even = __builtin_shufflevector(low, high, (2 * I)...);
    odd = __builtin_shufflevector(low, high, (2 * I + 1)...);
  }
};

}  // namespace tt::kernels
