// Labels and strides to axes by role: a table.
#include "kernels/contract/axes.hpp"

#include <doctest/doctest.h>

#include <string>

#include <fmt/format.h>

using namespace tt;
using kernels::Axis;

namespace {

struct Tensor {
  std::vector<core::Label> labels;
  core::Shape shape;
  core::Strides strides;
};

std::string text(const std::vector<Axis>& axes) {
  std::string out;
  for (const Axis& a : axes)
    out += fmt::format("({}: {},{},{})", a.extent, a.stride_A, a.stride_B, a.stride_C);
  return out;
}

std::string roles(const std::vector<std::int64_t>& extents, const Tensor& A, const Tensor* B,
                  const Tensor& C) {
  const auto ref = [](const Tensor& t) {
    return core::ArrayRef{nullptr, core::DType::float64, t.shape, t.strides};
  };
  const core::ArrayRef A_ref = ref(A), B_ref = B ? ref(*B) : core::ArrayRef{};
  const kernels::StepAxes axes =
      kernels::step_axes(extents, A.labels, A_ref, B ? &B->labels : nullptr, B ? &B_ref : nullptr,
                         C.labels, {nullptr, core::DType::float64, C.shape, C.strides});
  std::string out;
  for (const auto& [name, list] :
       {std::pair{"batch", axes.batch}, {"m", axes.m}, {"n", axes.n}, {"k", axes.k}})
    if (!list.empty()) out += fmt::format("{}{} ", name, text(list));
  return out;
}

}  // namespace

TEST_CASE("roles: batch in all three, m in A and C, n in B and C, k not in C") {
  // bij,bjk->bik of 2, 3, 4, 5
  const Tensor B{{0, 2, 3}, {2, 4, 5}, {20, 5, 1}};
  CHECK(roles({2, 3, 4, 5}, {{0, 1, 2}, {2, 3, 4}, {12, 4, 1}}, &B,
              {{0, 1, 3}, {2, 3, 5}, {15, 5, 1}}) ==
        "batch(2: 12,20,15) m(3: 4,0,5) n(5: 0,1,1) k(4: 1,5,0) ");
}

TEST_CASE("neighbours that are one run of memory in every tensor become one axis") {
  // ijk->i(jk): j and k are one in A and C.
  CHECK(roles({2, 3, 4}, {{0, 1, 2}, {2, 3, 4}, {12, 4, 1}}, nullptr,
              {{0, 1, 2}, {2, 3, 4}, {12, 4, 1}}) == "m(24: 1,0,1) ");
  // A gap after every row of A: two axes.
  CHECK(roles({3, 4}, {{0, 1}, {3, 4}, {5, 1}}, nullptr, {{0, 1}, {3, 4}, {4, 1}}) ==
        "m(3: 5,0,4)(4: 1,0,1) ");
  // ij->ji: sorted by the stride in C, not fused.
  CHECK(roles({3, 4}, {{0, 1}, {3, 4}, {4, 1}}, nullptr, {{1, 0}, {4, 3}, {3, 1}}) ==
        "m(4: 1,0,3)(3: 4,0,1) ");
  // Both backwards: still one run.
  CHECK(roles({3, 4}, {{0, 1}, {3, 4}, {-4, -1}}, nullptr, {{0, 1}, {3, 4}, {4, 1}}) ==
        "m(12: -1,0,1) ");
  // ij->: the sum over a whole array is one run.
  CHECK(roles({3, 4}, {{0, 1}, {3, 4}, {4, 1}}, nullptr, {{}, {}, {}}) == "k(12: 1,0,0) ");
}

TEST_CASE("a label twice in one tensor is its diagonal: strides add up") {
  CHECK(roles({4}, {{0, 0}, {4, 4}, {4, 1}}, nullptr, {{0}, {4}, {1}}) == "m(4: 5,0,1) ");
  CHECK(roles({4}, {{0}, {4}, {1}}, nullptr, {{0, 0}, {4, 4}, {4, 1}}) == "m(4: 1,0,5) ");
  CHECK(roles({4}, {{0, 0}, {4, 4}, {4, 1}}, nullptr, {{}, {}, {}}) == "k(4: 5,0,0) ");
}

TEST_CASE("an axis of 1 under a larger label does not move") {
  const Tensor row{{0, 1}, {1, 4}, {4, 1}};
  CHECK(roles({3, 4}, {{0, 1}, {3, 4}, {4, 1}}, &row, {{0, 1}, {3, 4}, {4, 1}}) ==
        "batch(4: 1,1,1) m(3: 4,0,4) ");
  // Summed in A; B broadcasts along it.
  CHECK(roles({3, 4}, {{0, 1}, {3, 4}, {4, 1}}, &row, {{1}, {4}, {1}}) ==
        "batch(4: 1,1,1) k(3: 4,0,0) ");
  // It only broadcasts here: a later step's business, and no loop of this one.
  CHECK(roles({3, 4}, {{0, 1}, {1, 4}, {4, 1}}, &row, {{1}, {4}, {1}}) == "batch(4: 1,1,1) ");
}

TEST_CASE("extents of 1 are dropped, extents of 0 are kept") {
  CHECK(roles({1, 4}, {{0, 1}, {1, 4}, {4, 1}}, nullptr, {{0, 1}, {1, 4}, {4, 1}}) ==
        "m(4: 1,0,1) ");
  CHECK(roles({0, 4}, {{0, 1}, {0, 4}, {4, 1}}, nullptr, {{1}, {4}, {1}}) ==
        "m(4: 1,0,1) k(0: 4,0,0) ");
  CHECK(kernels::length({}) == 1);
  CHECK(kernels::length({{3, 1, 1, 1}, {0, 1, 1, 1}}) == 0);
}
