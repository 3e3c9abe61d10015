// Sums and maps over lists of axes against plain loops, on every ISA: lengths around vectors,
// leaves, blocks and chunks; any strides; nothing written beside the result.
#include "kernels/strided/strided.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/cost/host_class.hpp"
#include "tests/support/random.hpp"
#include "tests/support/reference.hpp"

using namespace tt;
using kernels::Axis;
using kernels::Stream;

namespace {

#define EVERY_TYPE float, double, std::complex<float>, std::complex<double>, std::int64_t
#define EVERY_FLOAT float, double, std::complex<float>, std::complex<double>

/// A tensor under a list of axes: the memory that its strides reach and the first element's place.
template <class T>
struct Memory {
  std::vector<T> data;
  std::int64_t origin = 0;

  Memory(const std::vector<Axis>& axes, std::int64_t Axis::*stride, std::mt19937_64& random) {
    std::int64_t low = 0, high = 0;
    for (const Axis& axis : axes) {
      const std::int64_t reach = std::max<std::int64_t>(axis.extent - 1, 0) * (axis.*stride);
      (reach < 0 ? low : high) += reach;
    }
    origin = -low;
    data.resize(static_cast<std::size_t>(high - low + 1));
    for (T& value : data) value = testing::random_value<T>(random);
  }
};

struct Place {
  std::int64_t A = 0, B = 0, C = 0;
};

/// The positions of a list of axes, in order.
std::vector<Place> places(const std::vector<Axis>& axes) {
  std::vector<Place> list = {{}};
  for (const Axis& axis : axes) {
    std::vector<Place> longer;
    for (const Place& at : list)
      for (std::int64_t i = 0; i < axis.extent; ++i)
        longer.push_back(
            {at.A + i * axis.stride_A, at.B + i * axis.stride_B, at.C + i * axis.stride_C});
    list = std::move(longer);
  }
  return list;
}

std::string text(const std::vector<Axis>& axes) {
  std::string out;
  for (const Axis& a : axes)
    out += fmt::format("({}: {},{},{})", a.extent, a.stride_A, a.stride_B, a.stride_C);
  return out;
}

template <class T>
struct How {
  bool two = true;  // a product of A and B, else A alone
  bool conj_A = false, conj_B = false;
  T alpha = T(1), beta = T(0);
};

template <class T>
void check_on(const kernels::KernelTable& isa, const std::vector<Axis>& out,
              const std::vector<Axis>& in, const How<T>& how) {
  CAPTURE(std::string(isa.name));
  CAPTURE(std::string(core::dtype_name(core::dtype_of<T>)));
  CAPTURE(text(out));
  CAPTURE(text(in));
  CAPTURE(how.two);
  std::mt19937_64 random(4);
  std::vector<Axis> all = out;
  all.insert(all.end(), in.begin(), in.end());
  const Memory<T> A(all, &Axis::stride_A, random), B(all, &Axis::stride_B, random);
  Memory<T> C(out, &Axis::stride_C, random);
  const std::vector<T> before = C.data;
  const Stream<T> s{.A = A.data.data() + A.origin,
                    .B = how.two ? B.data.data() + B.origin : nullptr,
                    .C = C.data.data() + C.origin,
                    .out = out,
                    .in = in,
                    .conj_A = how.conj_A,
                    .conj_B = how.conj_B,
                    .alpha = how.alpha,
                    .beta = how.beta};
  CHECK(kernels::stream(core::Exec::serial(), {}, isa, s));

  const std::vector<Place> terms = places(in);
  std::int64_t wrong = 0;
  std::vector<bool> written(before.size());
  for (const Place& o : places(out)) {
    testing::Element element;
    for (const Place& i : terms) {
      const testing::Wide a = testing::widened(s.A[o.A + i.A]);
      testing::Wide term = how.conj_A ? std::conj(a) : a;
      if (s.B) {
        const testing::Wide b = testing::widened(s.B[o.B + i.B]);
        term = testing::times(term, how.conj_B ? std::conj(b) : b);
      }
      element.value += term;
      element.size += testing::size_of(term);
    }
    const auto place = static_cast<std::size_t>(C.origin + o.C);
    written[place] = true;
    const auto operations = static_cast<std::int64_t>(terms.size()) + 4;
    if (!testing::is_close(C.data[place], element, how.alpha, how.beta, before[place], operations))
      ++wrong;
  }
  CHECK(wrong == 0);
  std::int64_t touched = 0;
  for (std::size_t i = 0; i < written.size(); ++i)
    if (!written[i] && std::memcmp(&C.data[i], &before[i], sizeof(T)) != 0) ++touched;
  CHECK(touched == 0);
}

template <class T>
void check(const std::vector<Axis>& out, const std::vector<Axis>& in, const How<T>& how = {}) {
  How<T> one = how, two = how;
  one.two = false;
  for (const kernels::KernelTable* isa : kernels::supported_isas()) {
    check_on<T>(*isa, out, in, one);
    check_on<T>(*isa, out, in, two);
  }
}

/// Strides for `use` of the axes, in a random order of memory, with gaps and backwards runs.
void lay_out(std::vector<Axis*> axes, std::int64_t Axis::*stride, std::mt19937_64& random) {
  std::ranges::shuffle(axes, random);
  std::int64_t span = 1;
  for (Axis* axis : axes) {
    const std::int64_t step = span + (random() % 5 == 0 ? 2 : 0);
    axis->*stride = random() % 6 == 0 ? -step : step;
    span = step * std::max<std::int64_t>(axis->extent, 1);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("sums along rows: lengths around vectors, leaves and chunks", T, EVERY_TYPE) {
  for (const std::int64_t terms :
       {0,  1,  2,   3,   7,    8,    9,    15,   16,   17,   31,   33,
        63, 65, 127, 129, 1023, 1024, 1025, 2050, 4095, 4096, 4097, 9001})
    check<T>({{3, terms + 2, 0, 1}}, {{terms, 1, 1, 0}});
  // More rows than a block, of one term and of several.
  check<T>({{131, 5, 3, 1}}, {{3, 1, 1, 0}});
  check<T>({{131, 1, 1, 2}}, {});
}

TEST_CASE_TEMPLATE("sums across rows: counts around strips and blocks", T, EVERY_TYPE) {
  for (const std::int64_t count : {1, 2, 5, 8, 15, 17, 63, 64, 65, 129, 255, 256, 257, 300})
    for (const std::int64_t b : {0, 1, 2})  // of B: one a term, each, scattered
      check<T>({{count, 1, b, 1}}, {{19, count, b == 0 ? 1 : count * b, 0}});
  for (const std::int64_t terms : {0, 1, 127, 128, 129, 4095, 4096, 4097, 9001})
    check<T>({{5, 1, 0, 1}}, {{terms, 5, 1, 0}});
}

TEST_CASE_TEMPLATE("terms that are not neighbours are gathered", T, EVERY_TYPE) {
  check<T>({{7, 5000, 0, 1}}, {{1500, 3, 2, 0}});                 // every third
  check<T>({{7, 2000, 2000, 1}}, {{1500, -1, -1, 0}});            // backwards
  check<T>({{7, 6000, 0, 1}}, {{60, 90, 50, 0}, {50, 1, 1, 0}});  // runs with gaps
  check<T>({{7, 6000, 4000, 1}}, {{60, 90, 50, 0}, {50, 1, 1, 0}});
  check<T>({{4, 1, 700, 1}}, {{600, 0, 1, 0}});  // A repeats
  check<T>({}, {{40, 41, 0, 0}, {40, 1, 1, 0}});
}

TEST_CASE_TEMPLATE("maps: lengths around vectors and tasks", T, EVERY_TYPE) {
  for (const std::int64_t count : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 65, 16384, 16385, 40000})
    check<T>({{count, 1, 1, 1}}, {});
  check<T>({{9, 0, 1, 17}, {17, 1, 0, 1}}, {});  // outer products
  check<T>({{9, 1, 0, 17}, {17, 0, 1, 1}}, {});
  check<T>({{9, 1, 1, 17}, {17, 0, 0, 1}}, {});  // one element a row
  check<T>({{700, 4, 4, 4}, {3, 1, 1, 1}}, {});  // short rows
  check<T>({}, {});
}

TEST_CASE_TEMPLATE("maps across the order of memory: tiles and their edges", T, EVERY_TYPE) {
  for (const std::int64_t rows : {1, 4, 31, 32, 33, 70})
    for (const std::int64_t columns : {2, 16, 32, 45}) {
      check<T>({{rows, 1, columns, columns}, {columns, rows, 1, 1}}, {});
      check<T>({{rows, columns, 1, columns}, {columns, 1, rows, 1}}, {});
      check<T>({{rows, 1, 1, columns}, {columns, rows, rows, 1}}, {});
    }
  check<T>({{50, -2, 3, 40}, {40, 100, 150, 1}}, {});     // gathered
  check<T>({{50, 40, 40, 41}, {40, 1, 1, 41 * 60}}, {});  // scattered
  check<T>({{6, 1, 1, 20 * 5}, {20, 6, 6, 5}, {5, 120, 120, 1}}, {});
}

TEST_CASE_TEMPLATE("alpha, beta and conjugation", T, EVERY_TYPE) {
  How<T> how[3];
  how[0] = {.conj_A = true, .alpha = T(3)};
  how[1] = {.conj_B = true, .alpha = T(-1), .beta = T(2)};
  how[2] = {.conj_A = true, .conj_B = true, .beta = T(1)};
  if constexpr (testing::is_complex<T>) {
    how[0].alpha = T(0.5, -2);
    how[1].beta = T(0.25, 1);
  }
  for (const How<T>& row : how) {
    check<T>({{5, 40, 0, 1}}, {{37, 1, 1, 0}}, row);
    check<T>({{37, 1, 0, 1}}, {{5, 40, 1, 0}}, row);
    check<T>({{37, 1, 1, 1}}, {{5, 40, 40, 0}}, row);
    check<T>({{5, 37, 37, 37}, {37, 1, 1, 1}}, {}, row);
    check<T>({{5, 37, 1, 37}, {37, 1, 0, 1}}, {}, row);
    check<T>({{5, 1, 0, 37}, {37, 0, 1, 1}}, {}, row);
    check<T>({{33, 1, 1, 37}, {37, 33, 33, 1}}, {}, row);
    check<T>({{33, 2, 1, 3}}, {}, row);
  }
}

TEST_CASE_TEMPLATE("random axes", T, EVERY_TYPE) {
  const std::int64_t extents[] = {1, 2, 3, 4, 5, 9, 17, 33, 40};
  std::mt19937_64 random(99);
  for (int i = 0; i < 300; ++i) {
    CAPTURE(i);
    std::vector<Axis> out(random() % 4), in(random() % 3);
    std::vector<Axis*> of_A, of_B, of_C;
    std::int64_t size = 1;
    for (std::vector<Axis>* list : {&out, &in})
      for (Axis& axis : *list) {
        axis.extent = size > 4000 ? 1 : extents[random() % 9];
        size *= axis.extent;
        if (random() % 5 != 0) of_A.push_back(&axis);
        if (random() % 3 != 0) of_B.push_back(&axis);
        if (list == &out) of_C.push_back(&axis);
      }
    lay_out(of_A, &Axis::stride_A, random);
    lay_out(of_B, &Axis::stride_B, random);
    lay_out(of_C, &Axis::stride_C, random);
    check<T>(out, in);
  }
}

TEST_CASE_TEMPLATE("values next to the edge of what vectors of int64 hold", T, std::int64_t) {
  const std::int64_t most = std::numeric_limits<T>::max(), bit = std::int64_t{1} << 31;
  const std::vector<T> factors = {1, -1, bit - 1, -bit, bit, -bit - 1, most, -most, most - 1};
  for (const kernels::KernelTable* isa : kernels::supported_isas())
    for (const T factor : factors)
      for (const T other : {T{1}, T{-1}, T{2}, bit - 1, -bit}) {
        CAPTURE(std::string(isa->name));
        CAPTURE(factor);
        CAPTURE(other);
        // The same product at the end of 30, negated at the beginning: the sum is 0 + 28.
        std::vector<T> A(30, 1), B(30, 1), C(30);
        A[0] = factor;
        B[0] = -other;
        A[29] = factor;
        B[29] = other;
        Stream<T> s{.A = A.data(), .B = B.data(), .C = C.data(), .in = {{30, 1, 1, 0}}};
        CHECK(kernels::stream(core::Exec::serial(), {}, *isa, s));
        CHECK(C[0] == 28);
        // Element by element it is the product, if it fits.
        T expected = 0, negated = 0;
        const bool fits = !__builtin_mul_overflow(factor, other, &expected) &&
                          !__builtin_mul_overflow(factor, -other, &negated);
        s.out = {{30, 1, 1, 1}};
        s.in = {};
        CHECK(kernels::stream(core::Exec::serial(), {}, *isa, s) == fits);
        if (fits) CHECK(C[29] == expected);
      }
}

TEST_CASE_TEMPLATE("sums carry NaN and infinity, whatever stands behind the tail", T, EVERY_FLOAT) {
  using R = testing::Real<T>;
  const R nan = std::numeric_limits<R>::quiet_NaN();
  for (const kernels::KernelTable* isa : kernels::supported_isas())
    for (const std::int64_t count : {1, 3, 9, 20, 40}) {
      CAPTURE(std::string(isa->name));
      CAPTURE(count);
      std::vector<T> A(64, T(nan)), C(64, T(nan));
      std::fill_n(A.begin(), count, T(1));
      Stream<T> s{.A = A.data(), .B = A.data(), .C = C.data(), .in = {{count, 1, 1, 0}}};
      CHECK(kernels::stream(core::Exec::serial(), {}, *isa, s));
      CHECK(C[0] == T(static_cast<R>(count)));
      A[static_cast<std::size_t>(count) - 1] = T(nan);
      CHECK(kernels::stream(core::Exec::serial(), {}, *isa, s));
      CHECK(std::isnan(std::real(C[0])));
    }
}

TEST_CASE("scratch: nothing for sums of one chunk, a sum for each chunk else") {
  using core::DType;
  CHECK(kernels::stream_scratch_bytes(100, 4096, DType::float64) == 0);
  CHECK(kernels::stream_scratch_bytes(100, 4097, DType::float64) == 2 * 100 * 8);
  CHECK(kernels::stream_scratch_bytes(3, 3 * 4096, DType::complex64) == 3 * 3 * 8);
  CHECK(kernels::stream_scratch_bytes(3, 3 * 4096, DType::int64) == 3 * 3 * 32);
}
