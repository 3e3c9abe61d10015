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
};

}  // namespace tt::kernels
