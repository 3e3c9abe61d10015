// The product on every ISA, dtype, edge size and layout against plain loops in a wider type; equal
// bits for every width and place in a batch.
#include "kernels/gemm/gemm.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "core/cost/host_class.hpp"
#include "core/tensor/memory.hpp"
#include "kernels/gemm/oriented.hpp"
#include "kernels/gemm/scratch.hpp"

using namespace tt;
using kernels::PairAxis;

namespace {

template <class T>
struct Wide {
  using type = long double;
};
template <class R>
struct Wide<std::complex<R>> {
  using type = std::complex<long double>;
};

template <class T>
constexpr bool is_complex = kernels::Element<T>::planes == 2;

template <class T>
typename Wide<T>::type widened(T value, bool conj = false) {
  if constexpr (is_complex<T>) {
    return {value.real(), conj ? -value.imag() : value.imag()};
  } else {
    return value;
  }
}

/// Plain products: std::complex's own checks every one for a NaN that might be an infinity.
long double times(long double a, long double b) {
  return a * b;
}
std::complex<long double> times(std::complex<long double> a, std::complex<long double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// An upper bound of |value| that needs no square root.
long double size_of(long double value) {
  return std::abs(value);
}
long double size_of(std::complex<long double> value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

enum class Layout { row, column, padded, negative, strided };
constexpr Layout layouts[] = {Layout::row, Layout::column, Layout::padded, Layout::negative,
                              Layout::strided};

/// A matrix in memory that also holds what must not be touched.
template <class T>
struct Matrix {
  std::vector<T> data;
  std::int64_t base = 0, row = 1, column = 1;

  Matrix(std::int64_t rows, std::int64_t columns, Layout layout) {
    const std::int64_t r = std::max<std::int64_t>(rows, 1), c = std::max<std::int64_t>(columns, 1);
    switch (layout) {
      case Layout::row:
        row = c, column = 1;
        break;
      case Layout::column:
        row = 1, column = r;
        break;
      case Layout::padded:
        row = c + 5, column = 1;
        break;
      case Layout::negative:
        row = -1, column = -(r + 1);
        break;
      case Layout::strided:
        row = 3 * c + 1, column = 3;
        break;
    }
    const std::int64_t span = (r - 1) * std::abs(row) + (c - 1) * std::abs(column) + 1;
    data.resize(static_cast<std::size_t>(span));
    base = row < 0 ? span - 1 : 0;
  }

  T* at_origin() { return data.data() + base; }
  T& at(std::int64_t i, std::int64_t j) {
    return data[static_cast<std::size_t>(base + i * row + j * column)];
  }
};

template <class T>
void fill_random(std::vector<T>& data, std::mt19937_64& random) {
  std::uniform_real_distribution<double> real(-1, 1);
  for (T& value : data) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      value = static_cast<std::int64_t>(random() % 2001) - 1000;
    } else if constexpr (is_complex<T>) {
      using R = typename T::value_type;
      value = {static_cast<R>(real(random)), static_cast<R>(real(random))};
    } else {
      value = static_cast<T>(real(random));
    }
  }
}

core::Decision width(int members) {
  core::Decision decision;
  decision.parallel = members > 1;
  decision.width = members;
  return decision;
}

template <class T>
struct Options {
  T alpha = T(1), beta = T(0);
  bool conj_A = false, conj_B = false;
};

struct Sizes {
  std::int64_t m, n, k;
};

/// C against plain loops: the error of a sum of k products and of the update is bounded by
/// eps * (k + 4) * (|alpha| sum |a||b| + |beta||c|), sizes of complex values being |re| + |im|.
template <class T>
void check_against_loops(Sizes s, Matrix<T>& A, Matrix<T>& B, const std::vector<T>& before,
                         Matrix<T>& C, const Options<T>& options) {
  using W = typename Wide<T>::type;
  constexpr bool exact = std::is_same_v<T, std::int64_t>;
  const long double eps =
      exact ? 0 : static_cast<long double>(std::numeric_limits<kernels::Real<T>>::epsilon());
  std::int64_t wrong = 0;
  std::vector<bool> written(C.data.size());
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      W sum = 0;
      long double size = 0;
      for (std::int64_t k = 0; k < s.k; ++k) {
        const W a = widened(A.at(i, k), options.conj_A), b = widened(B.at(k, j), options.conj_B);
        sum += times(a, b);
        size += size_of(a) * size_of(b);
      }
      const auto place = static_cast<std::size_t>(C.base + i * C.row + j * C.column);
      W expected = times(widened(options.alpha), sum);
      size *= size_of(widened(options.alpha));
      if (options.beta != T(0)) {
        const W old = times(widened(options.beta), widened(before[place]));
        expected += old;
        size += size_of(old);
      }
      written[place] = true;
      const long double bound = eps * static_cast<long double>(s.k + 4) * size;
      if (!(size_of(widened(C.data[place]) - expected) <= bound)) ++wrong;
    }
  CHECK(wrong == 0);
  std::int64_t touched = 0;
  for (std::size_t i = 0; i < written.size(); ++i)
    if (!written[i] && std::memcmp(&C.data[i], &before[i], sizeof(T)) != 0) ++touched;
  CHECK(touched == 0);
}

template <class T>
void check_product(const kernels::KernelTable& isa, Sizes s, Layout in_A, Layout in_B, Layout in_C,
                   const Options<T>& options = {}) {
  CAPTURE(isa.name);
  CAPTURE(core::dtype_name(core::dtype_of<T>));
  CAPTURE(s.m);
  CAPTURE(s.n);
  CAPTURE(s.k);
  CAPTURE(static_cast<int>(in_A));
  CAPTURE(static_cast<int>(in_B));
  CAPTURE(static_cast<int>(in_C));
  std::mt19937_64 random(17);
  Matrix<T> A(s.m, s.k, in_A), B(s.k, s.n, in_B), C(s.m, s.n, in_C);
  fill_random(A.data, random);
  fill_random(B.data, random);
  fill_random(C.data, random);
  const std::vector<T> before = C.data;
  const PairAxis m{s.m, A.row, C.row}, n{s.n, B.column, C.column}, k{s.k, A.column, B.row};
  kernels::Product<T> product;
  product.A = A.at_origin();
  product.B = B.at_origin();
  product.C = C.at_origin();
  product.m = {&m, 1};
  product.n = {&n, 1};
  product.k = {&k, 1};
  product.conj_A = options.conj_A;
  product.conj_B = options.conj_B;
  product.alpha = options.alpha;
  product.beta = options.beta;
  CHECK(kernels::gemm(core::Exec::serial(), width(1), isa, product));
  check_against_loops(s, A, B, before, C, options);

  // The same bits from more members.
  const std::vector<T> serial = C.data;
  for (const int members : {2, 3, 8}) {
    CAPTURE(members);
    C.data = before;
    CHECK(kernels::gemm(core::Exec::serial(), width(members), isa, product));
    CHECK(std::memcmp(C.data.data(), serial.data(), serial.size() * sizeof(T)) == 0);
  }
}

#define EVERY_TYPE float, double, std::complex<float>, std::complex<double>, std::int64_t
#define EVERY_FLOAT float, double, std::complex<float>, std::complex<double>

}  // namespace

TEST_CASE_TEMPLATE("sizes around the register tile, in every layout of C", T, EVERY_TYPE) {
  for (const kernels::KernelTable* isa : kernels::supported_isas()) {
    const auto& tiles = kernels::tiles_of(isa->gemm, T{});
    const std::int64_t mr = tiles.mr, nr = tiles.nr;
    for (const std::int64_t m : {std::int64_t{1}, std::int64_t{2}, nr - 1, nr + 1, mr, mr + 1})
      for (const std::int64_t n : {std::int64_t{1}, nr, mr - 1, mr + 1})
        for (const std::int64_t k : {1, 2, 19})
          for (const Layout layout : layouts)
            check_product<T>(*isa, {m, n, k}, Layout::row, Layout::row, layout);
  }
}

TEST_CASE_TEMPLATE("every layout of both operands, small and blocked", T, EVERY_TYPE) {
  for (const kernels::KernelTable* isa : kernels::supported_isas())
    for (const Layout in_A : layouts)
      for (const Layout in_B : layouts)
        for (const Layout in_C : {Layout::row, Layout::column, Layout::strided}) {
          check_product<T>(*isa, {37, 29, 41}, in_A, in_B, in_C);
          check_product<T>(*isa, {71, 103, 89}, in_A, in_B, in_C);
        }
}

TEST_CASE_TEMPLATE("depths around a block, flat and thin and deep", T, EVERY_TYPE) {
  for (const kernels::KernelTable* isa : kernels::supported_isas()) {
    const std::int64_t kc = kernels::tiles_of(isa->gemm, T{}).kc;
    for (const std::int64_t k : {kc - 1, kc, kc + 1, 2 * kc + 3})
      for (const Layout layout : {Layout::row, Layout::column})
        check_product<T>(*isa, {26, 51, k}, layout, layout, layout);
    for (const Layout in_A : {Layout::row, Layout::column})
      for (const Layout in_B : {Layout::row, Layout::column}) {
        check_product<T>(*isa, {5, 2300, 9}, in_A, in_B, Layout::row);
        check_product<T>(*isa, {2300, 5, 9}, in_A, in_B, Layout::row);
        check_product<T>(*isa, {700, 3, 130}, in_A, in_B, Layout::row);
        check_product<T>(*isa, {4, 500, kc + 7}, in_A, in_B, Layout::column);
        check_product<T>(*isa, {500, 2, kc + 7}, in_A, in_B, Layout::strided);
      }
    check_product<T>(*isa, {3, 17, 16 * kc + 5}, Layout::row, Layout::row, Layout::row);
    check_product<T>(*isa, {9, 2, 33 * 4 * kc + 1}, Layout::column, Layout::row, Layout::column);
  }
}

TEST_CASE_TEMPLATE("alpha, beta and conjugation", T, EVERY_FLOAT) {
  Options<T> options[4];
  options[0] = {T(2), T(1), false, false};
  options[1] = {T(-0.5), T(0.25), true, false};
  options[2] = {T(1), T(-1), false, true};
  options[3] = {T(3), T(0), true, true};
  if constexpr (is_complex<T>) {
    options[1].alpha = T(0.5, -2);
    options[2].beta = T(0.75, 0.5);
    options[3].alpha = T(0, 1);
  }
  for (const kernels::KernelTable* isa : kernels::supported_isas()) {
    const std::int64_t kc = kernels::tiles_of(isa->gemm, T{}).kc;
    for (const Options<T>& row : options)
      for (const Layout layout : {Layout::row, Layout::column, Layout::strided}) {
        check_product<T>(*isa, {13, 21, 7}, layout, layout, layout, row);
        check_product<T>(*isa, {90, 77, 2 * kc + 1}, layout, layout, layout, row);
        check_product<T>(*isa, {4, 3, 17 * kc}, layout, layout, layout, row);
      }
  }
}

TEST_CASE_TEMPLATE("several axes an index: every element where its offsets say", T, EVERY_TYPE) {
  // A[k1, m0, k0, m1], B[n1, k0, n0, k1], C[n0, m1, m0, n1] of extents m 5x7, n 6x4, k 9x11.
  const PairAxis m[] = {{5, 7 * 9, 4}, {7, 1, 4 * 5}};
  const PairAxis n[] = {{6, 11, 4 * 5 * 7}, {4, 9 * 6 * 11, 1}};
  const PairAxis k[] = {{9, 7, 6 * 11}, {11, 5 * 9 * 7, 1}};
  for (const kernels::KernelTable* isa : kernels::supported_isas()) {
    CAPTURE(isa->name);
    std::mt19937_64 random(3);
    std::vector<T> A(5 * 7 * 9 * 11), B(6 * 4 * 9 * 11), C(5 * 7 * 6 * 4);
    fill_random(A, random);
    fill_random(B, random);
    kernels::Product<T> product;
    product.A = A.data();
    product.B = B.data();
    product.C = C.data();
    product.m = m;
    product.n = n;
    product.k = k;
    // The same product as plain matrices.
    Matrix<T> A2(35, 99, Layout::row), B2(99, 24, Layout::row), C2(35, 24, Layout::row);
    for (std::int64_t i = 0; i < 35; ++i)
      for (std::int64_t p = 0; p < 99; ++p)
        A2.at(i, p) = A[static_cast<std::size_t>(i / 7 * 63 + i % 7 + p / 11 * 7 + p % 11 * 315)];
    for (std::int64_t p = 0; p < 99; ++p)
      for (std::int64_t j = 0; j < 24; ++j)
        B2.at(p, j) = B[static_cast<std::size_t>(j / 4 * 11 + j % 4 * 594 + p / 11 * 66 + p % 11)];
    for (const int members : {1, 2, 8}) {
      std::fill(C.begin(), C.end(), T(0));
      CHECK(kernels::gemm(core::Exec::serial(), width(members), *isa, product));
      for (std::int64_t i = 0; i < 35; ++i)
        for (std::int64_t j = 0; j < 24; ++j)
          C2.at(i, j) = C[static_cast<std::size_t>(i / 7 * 4 + i % 7 * 20 + j / 4 * 140 + j % 4)];
      check_against_loops<T>({35, 24, 99}, A2, B2, C2.data, C2, {});
    }
  }
}

TEST_CASE_TEMPLATE("a stride of zero repeats an operand", T, EVERY_TYPE) {
  for (const kernels::KernelTable* isa : kernels::supported_isas()) {
    CAPTURE(isa->name);
    const std::vector<T> ones(64, T(1));
    std::vector<T> C(40 * 50, T(7));
    const PairAxis m{40, 0, 50}, n{50, 1, 1}, k{30, 0, 0};
    kernels::Product<T> product;
    product.A = ones.data();
    product.B = ones.data();
    product.C = C.data();
    product.m = {&m, 1};
    product.n = {&n, 1};
    product.k = {&k, 1};
    CHECK(kernels::gemm(core::Exec::serial(), width(1), *isa, product));
    CHECK(std::count(C.begin(), C.end(), T(30)) == 40 * 50);
  }
}

TEST_CASE_TEMPLATE("empty indices", T, EVERY_TYPE) {
  const kernels::KernelTable& isa = kernels::select_isa(nullptr);
  for (const T beta : {T(0), T(1), T(3)}) {
    std::vector<T> C(6, T(2));
    const PairAxis m{2, 0, 3}, n{3, 1, 1}, none{0, 1, 1};
    kernels::Product<T> product;
    product.C = C.data();
    product.m = {&m, 1};
    product.n = {&n, 1};
    product.k = {&none, 1};
    product.beta = beta;
    CHECK(kernels::gemm(core::Exec::serial(), width(1), isa, product));
    CHECK(std::count(C.begin(), C.end(), T(2) * beta) == 6);
    product.k = {};
    product.m = {&none, 1};
    CHECK(kernels::gemm(core::Exec::serial(), width(1), isa, product));
    CHECK(std::count(C.begin(), C.end(), T(2) * beta) == 6);
  }
}

TEST_CASE_TEMPLATE("an item of a batch has the bits of the single product", T, EVERY_TYPE) {
  struct Row {
    std::int64_t n, k, items;
  };
  for (const kernels::KernelTable* isa : kernels::supported_isas())
    for (const Row row :
         {Row{5, 6, 40}, Row{33, 300, 6}, Row{90, 80, 3}, Row{3, 16 * 384 + 1, 5}}) {
      CAPTURE(isa->name);
      CAPTURE(row.n);
      const std::int64_t n = row.n, k = row.k;
      std::mt19937_64 random(11);
      std::vector<T> A(static_cast<std::size_t>(row.items * n * k));
      std::vector<T> B(static_cast<std::size_t>(n * k));  // shared by all items
      std::vector<T> C(static_cast<std::size_t>(row.items * n * n));
      fill_random(A, random);
      fill_random(B, random);
      const PairAxis axis_m{n, k, n}, axis_n{n, 1, 1}, axis_k{k, 1, n};
      const kernels::BatchAxis batch{row.items, n * k, 0, n * n};
      kernels::Product<T> product;
      product.A = A.data();
      product.B = B.data();
      product.m = {&axis_m, 1};
      product.n = {&axis_n, 1};
      product.k = {&axis_k, 1};
      for (const int members : {1, 2, 8}) {
        product.C = C.data();
        product.A = A.data();
        product.batch = {&batch, 1};
        CHECK(kernels::gemm(core::Exec::serial(), width(members), *isa, product));
        std::vector<T> single(static_cast<std::size_t>(n * n));
        for (std::int64_t item = 0; item < row.items; ++item) {
          kernels::Product<T> one = product;
          one.batch = {};
          one.A = A.data() + item * n * k;
          one.C = single.data();
          CHECK(kernels::gemm(core::Exec::serial(), width(1), *isa, one));
          CHECK(std::memcmp(single.data(), C.data() + item * n * n, single.size() * sizeof(T)) ==
                0);
        }
      }
    }
}

TEST_CASE_TEMPLATE("the layout of operands and result never shows in the bits", T, EVERY_FLOAT) {
  for (const kernels::KernelTable* isa : kernels::supported_isas())
    for (const Sizes s : {Sizes{30, 31, 32}, Sizes{95, 101, 420}}) {
      CAPTURE(isa->name);
      std::vector<T> first;
      for (const Layout layout : layouts) {
        CAPTURE(static_cast<int>(layout));
        std::mt19937_64 random(5);
        Matrix<T> A(s.m, s.k, layout), B(s.k, s.n, layout), C(s.m, s.n, layout);
        std::vector<T> values(static_cast<std::size_t>((s.m + s.n) * s.k));
        fill_random(values, random);
        auto value = values.begin();
        for (std::int64_t i = 0; i < s.m; ++i)
          for (std::int64_t p = 0; p < s.k; ++p) A.at(i, p) = *value++;
        for (std::int64_t p = 0; p < s.k; ++p)
          for (std::int64_t j = 0; j < s.n; ++j) B.at(p, j) = *value++;
        const PairAxis m{s.m, A.row, C.row}, n{s.n, B.column, C.column}, k{s.k, A.column, B.row};
        kernels::Product<T> product;
        product.A = A.at_origin();
        product.B = B.at_origin();
        product.C = C.at_origin();
        product.m = {&m, 1};
        product.n = {&n, 1};
        product.k = {&k, 1};
        CHECK(kernels::gemm(core::Exec::serial(), width(1), *isa, product));
        std::vector<T> result;
        for (std::int64_t i = 0; i < s.m; ++i)
          for (std::int64_t j = 0; j < s.n; ++j) result.push_back(C.at(i, j));
        if (first.empty()) first = result;
        CHECK(std::memcmp(result.data(), first.data(), result.size() * sizeof(T)) == 0);
      }
    }
}

TEST_CASE_TEMPLATE("beta 0 reads no old value, NaN and infinity go through", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  for (const kernels::KernelTable* isa : kernels::supported_isas())
    for (const std::int64_t size : {10, 100}) {
      CAPTURE(isa->name);
      CAPTURE(size);
      const auto count = static_cast<std::size_t>(size * size);
      std::vector<T> A(count, T(0)), B(count, T(1)), C(count, nan);
      A[0] = inf;                               // row 0 is infinite
      A[static_cast<std::size_t>(size)] = nan;  // row 1 is NaN
      B[0] = T(0);                              // 0 * inf in (0, 0)
      const PairAxis m{size, size, size}, n{size, 1, 1}, k{size, 1, size};
      kernels::Product<T> product;
      product.A = A.data();
      product.B = B.data();
      product.C = C.data();
      product.m = {&m, 1};
      product.n = {&n, 1};
      product.k = {&k, 1};
      CHECK(kernels::gemm(core::Exec::serial(), width(1), *isa, product));
      CHECK(std::isnan(C[0]));
      CHECK(std::count(C.begin() + 1, C.begin() + size, inf) == size - 1);
      CHECK(std::count_if(C.begin() + size, C.begin() + 2 * size,
                          [](T c) { return std::isnan(c); }) == size);
      CHECK(std::count(C.begin() + 2 * size, C.end(), T(0)) == size * (size - 2));
    }
}

namespace {

/// [a, a] . [b, b2]^T of int64 with a beta and an old value, as a 1x1 product.
std::pair<bool, std::int64_t> dot_int64(std::vector<std::int64_t> A, std::vector<std::int64_t> B,
                                        std::int64_t alpha, std::int64_t beta, std::int64_t old) {
  std::int64_t C = old;
  const PairAxis k{static_cast<std::int64_t>(A.size()), 1, 1};
  kernels::Product<std::int64_t> product;
  product.A = A.data();
  product.B = B.data();
  product.C = &C;
  product.k = {&k, 1};
  product.alpha = alpha;
  product.beta = beta;
  const bool fits =
      kernels::gemm(core::Exec::serial(), width(1), kernels::select_isa(nullptr), product);
  return {fits, C};
}

}  // namespace

TEST_CASE("int64 is exact or refused") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  using Result = std::pair<bool, std::int64_t>;
  CHECK(dot_int64({most, 1}, {1, 0}, 1, 0, 5) == Result{true, most});
  CHECK_FALSE(dot_int64({most, 1}, {1, 1}, 1, 0, 0).first);
  CHECK(dot_int64({least, 0}, {1, 0}, 1, 0, 0) == Result{true, least});
  CHECK_FALSE(dot_int64({least}, {-1}, 1, 0, 0).first);
  // Partial sums beyond 64 and beyond 128 bits that come back.
  CHECK(dot_int64({most, 7, most}, {2, 1, -2}, 1, 0, 0) == Result{true, 7});
  CHECK(dot_int64({least, least, least, least, 3}, {least, least, most, most, 1}, 1, 0, 0).first ==
        false);
  CHECK(dot_int64({least, least, least, least, least, least, least, 3},
                  {least, least, least, most, most, most, 3, 1}, 1, 0, 0) == Result{true, 3});
  // alpha and beta count: 2 (most) - most, and beta times the old value.
  CHECK(dot_int64({most}, {1}, 2, -1, most) == Result{true, most});
  CHECK_FALSE(dot_int64({most}, {1}, 2, 0, 0).first);
  CHECK(dot_int64({most}, {1}, 0, 3, 4) == Result{true, 12});
  CHECK_FALSE(dot_int64({1}, {1}, 1, 2, most).first);
}

TEST_CASE("int64 matrices beyond 2^63 in their bound are exact for every width") {
  __extension__ using Int128 = __int128;
  constexpr std::int64_t size = 70;
  std::vector<std::int64_t> A(size * size), B(size * size), C(size * size);
  std::mt19937_64 random(23);
  for (auto& a : A) a = static_cast<std::int64_t>(random() % 1000) << 40;
  for (auto& b : B) b = static_cast<std::int64_t>(random() % 1000) - 500;
  B[0] = std::int64_t{1} << 20;  // the bound fails, the values fit
  A[0] = 1;
  for (std::int64_t i = 1; i < size; ++i) A[static_cast<std::size_t>(i * size)] = 0;
  const PairAxis m{size, size, size}, n{size, 1, 1}, k{size, 1, size};
  kernels::Product<std::int64_t> product;
  product.A = A.data();
  product.B = B.data();
  product.C = C.data();
  product.m = {&m, 1};
  product.n = {&n, 1};
  product.k = {&k, 1};
  for (const int members : {1, 3}) {
    CAPTURE(members);
    CHECK(
        kernels::gemm(core::Exec::serial(), width(members), kernels::select_isa(nullptr), product));
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        Int128 sum = 0;
        for (std::size_t p = 0; p < size; ++p)
          sum += static_cast<Int128>(A[i * size + p]) * B[p * size + j];
        if (sum != C[i * size + j]) ++wrong;
      }
    CHECK(wrong == 0);
  }
}

namespace {

/// The bits of a square product on a team of that many members.
template <class T>
std::vector<T> product_on_team(int members, core::TokenKind kind, Sizes s) {
  std::mt19937_64 random(29);
  std::vector<T> A(static_cast<std::size_t>(s.m * s.k)), B(static_cast<std::size_t>(s.k * s.n));
  std::vector<T> C(static_cast<std::size_t>(s.m * s.n));
  fill_random(A, random);
  fill_random(B, random);
  const PairAxis m{s.m, s.k, s.n}, n{s.n, 1, 1}, k{s.k, 1, s.n};
  kernels::Product<T> product;
  product.A = A.data();
  product.B = B.data();
  product.C = C.data();
  product.m = {&m, 1};
  product.n = {&n, 1};
  product.k = {&k, 1};

  core::ExecSettings settings;
  settings.kind = kind;
  settings.threads = settings.plan_budget = members;
  settings.pays.millionths = 1;  // every region is worth the team
  settings.host = &core::detected_host_class();
  core::Session session(settings);
  session.run([&](const core::Exec& exec) {
    core::Gate gate;
    gate.site = "gemm.product";
    gate.work.dtype = core::dtype_of<T>;
    gate.work.units = static_cast<std::uint64_t>(s.m * s.n * s.k);
    CHECK(kernels::gemm(exec, exec.decide(gate), kernels::select_isa(nullptr), product));
  });
  return C;
}

}  // namespace

TEST_CASE_TEMPLATE("a team of any width and token gives the bits of one member", T, EVERY_TYPE) {
  for (const Sizes s : {Sizes{200, 210, 800}, Sizes{30, 20, 40000}, Sizes{5, 3000, 70}}) {
    const std::vector<T> serial = product_on_team<T>(1, core::TokenKind::team, s);
    for (const auto kind : {core::TokenKind::team, core::TokenKind::pool, core::TokenKind::outside})
      for (const int members : {2, 3, 8}) {
        CAPTURE(s.m);
        CAPTURE(s.k);
        CAPTURE(core::token_kind_name(kind));
        CAPTURE(members);
        const std::vector<T> wide = product_on_team<T>(members, kind, s);
        CHECK(std::memcmp(wide.data(), serial.data(), serial.size() * sizeof(T)) == 0);
      }
  }
}

TEST_CASE("what a product takes is what gemm_scratch_bytes says") {
  const kernels::KernelTable& isa = kernels::select_isa(nullptr);
  const std::int64_t size = 700;
  std::vector<double> A(size * size, 1.0), C(size * size);
  const PairAxis m{size, size, size}, n{size, 1, 1}, k{size, 1, size};
  kernels::Product<double> product;
  product.A = A.data();
  product.B = A.data();
  product.C = C.data();
  product.m = {&m, 1};
  product.n = {&n, 1};
  product.k = {&k, 1};
  for (const int members : {1, 2, 8}) {
    kernels::release_scratch();
    const std::uint64_t before = core::allocated_bytes();
    CHECK(kernels::gemm(core::Exec::serial(), width(members), isa, product));
    CHECK(core::allocated_bytes() - before ==
          kernels::gemm_scratch_bytes(size, size, size, 1, core::DType::float64, isa, members));
  }
  kernels::release_scratch();
  CHECK(core::allocated_bytes() == 0);
}
