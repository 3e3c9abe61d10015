#include "core/plan/plan.hpp"

#include <doctest/doctest.h>

#include "tests/core/plan/networks.hpp"

using namespace tt::core;
using namespace tt::core::testing;

namespace {

using Extents = std::map<char, std::int64_t>;

std::string steps_text(const Plan& plan) {
  std::string text;
  for (const Step& step : plan.steps) {
    if (!text.empty()) text += "; ";
    text += step_text(plan, step);
    text += ' ';
    text += step_class_name(step.step_class);
  }
  return text;
}

void check_steps(std::string_view spec, const Extents& extents, const Path& path,
                 std::string_view steps) {
  CAPTURE(spec);
  CHECK(steps_text(make_plan(problem_of(spec, extents), path, {})) == steps);
}

void check_roles(std::string_view spec, const Extents& extents,
                 const std::vector<std::int64_t>& batch_m_n_k, Family family, std::uint64_t units) {
  CAPTURE(spec);
  const Plan plan = make_plan(problem_of(spec, extents), {{0, 1}}, {});
  REQUIRE(plan.steps.size() == 1);
  const Step& step = plan.steps[0];
  CHECK(std::vector<std::int64_t>{step.batch, step.m, step.n, step.k} == batch_m_n_k);
  CHECK(step.work.family == family);
  CHECK(step.work.units == units);
}

const Extents sizes = {{'i', 3}, {'j', 4}, {'k', 5}, {'l', 6}, {'b', 7}};

}  // namespace

TEST_CASE("a pair is classified by its roles") {
  check_steps("ij,jk->ik", sizes, {{0, 1}}, "ij,jk->ik gemm");
  check_steps("bij,bjk->bik", sizes, {{0, 1}}, "bij,bjk->bik batched");
  check_steps("ij,j->i", sizes, {{0, 1}}, "ij,j->i matvec");
  check_steps("i,i->", sizes, {{0, 1}}, "i,i-> matvec");
  check_steps("i,j->ij", sizes, {{0, 1}}, "i,j->ij outer");
  check_steps("bi,bj->bij", sizes, {{0, 1}}, "bi,bj->bij outer");
  check_steps("ij,ij->ij", sizes, {{0, 1}}, "ij,ij->ij elementwise");
  check_steps("ij,j->ij", sizes, {{0, 1}}, "ij,j->ij elementwise");
  check_steps(",->", sizes, {{0, 1}}, ",-> elementwise");
  check_steps("ij,jk->ik", {{'j', 0}}, {{0, 1}}, "ij,jk->ik gemm");
}

TEST_CASE("a single operand is reduced or copied") {
  check_steps("ij->i", sizes, {{0}}, "ij->i reduce");
  check_steps("ii->", sizes, {{0}}, "ii-> reduce");
  check_steps("ij->ji", sizes, {{0}}, "ij->ji copy");
  check_steps("ii->i", sizes, {{0}}, "ii->i copy");
  check_steps("i->ii", sizes, {{0}}, "i->ii copy");
  check_steps("->", sizes, {{0}}, "-> copy");
  check_steps("ij->i", {{'j', 1}}, {{0}}, "ij->i copy");
  check_steps("ij->i", {{'j', 0}}, {{0}}, "ij->i reduce");
}

TEST_CASE("roles and units follow from the labels") {
  check_roles("ij,jk->ik", sizes, {1, 3, 5, 4}, Family::gemm, 60);
  check_roles("bij,bjk->bik", sizes, {7, 3, 5, 4}, Family::gemm, 420);
  check_roles("iijb,jkb->ik", sizes, {1, 3, 5, 28}, Family::gemm, 420);
  check_roles("ij,j->i", sizes, {1, 3, 1, 4}, Family::matvec, 12);
  check_roles("bj,bkj->bk", sizes, {7, 1, 5, 4}, Family::matvec, 140);
  check_roles("i,j->ij", sizes, {1, 3, 4, 1}, Family::strided_map, 12);
  check_roles("ij,j->ij", sizes, {4, 3, 1, 1}, Family::strided_map, 12);
  check_roles("i,i->ii", sizes, {3, 1, 1, 1}, Family::strided_map, 3);
}

TEST_CASE("an axis of 1 under a larger label is absent from its operand") {
  Problem problem = bind(parse_spec("ij,jk->ik"), {{{3, 1}, "a"}, {{4, 5}, "b"}});
  const Plan plan = make_plan(std::move(problem), {{0, 1}}, {});
  CHECK(steps_text(plan) == "jk->k reduce; ij,k->ik outer");
  CHECK(plan.steps[1].m == 3);
  CHECK(plan.steps[1].n == 5);
}

TEST_CASE("labels of one operand alone are summed before it meets another") {
  check_steps("ijl,jk->ik", sizes, {{0, 1}}, "ijl->ij reduce; ij,jk->ik gemm");
  check_steps("ijl,jkb->ik", sizes, {{0, 1}}, "ijl->ij reduce; jkb->jk reduce; ij,jk->ik gemm");
  check_steps("i,j->", sizes, {{0, 1}}, "i-> reduce; j-> reduce; ,-> elementwise");
  check_steps("ijl,jk->ik", {{'l', 1}}, {{0, 1}}, "ijl,jk->ik gemm");
}

TEST_CASE("a label of two operands goes when its last holder is used") {
  check_steps("i,i,i->", sizes, {{0, 1}, {3, 2}}, "i,i->i elementwise; i,i-> matvec");
}

TEST_CASE("steps of one input in a path only rename") {
  check_steps("ij,jk->ik", sizes, {{1}, {2, 0}, {3}}, "jk,ij->ik gemm");
}

TEST_CASE("an intermediate keeps parts together and its longest run innermost") {
  // Contracted next over k: k is innermost when it is the longer part, else i.
  check_steps("ij,jk,kl->il", {{'i', 4}, {'k', 100}}, {{0, 1}, {3, 2}},
              "ij,jk->ik gemm; ik,kl->il gemm");
  check_steps("ij,jk,kl->il", {{'i', 100}, {'k', 4}}, {{0, 1}, {3, 2}},
              "ij,jk->ki gemm; ki,kl->il gemm");
  // The contracted pair bc follows the order of the partner.
  check_steps("abx,xc,cbd->ad", {{'a', 2}, {'b', 9}, {'c', 9}, {'x', 3}}, {{0, 1}, {3, 2}},
              "abx,xc->abc gemm; abc,cbd->ad gemm");
  // Batch labels of the reading step are outermost.
  check_steps("ijx,xb,bjk->bik", sizes, {{0, 1}, {3, 2}}, "ijx,xb->bij gemm; bij,bjk->bik batched");
}

TEST_CASE("flops, naive flops and the largest intermediate") {
  const Problem problem = problem_of("ij,jk,kl->il", {{'i', 10}, {'j', 20}, {'k', 30}, {'l', 40}});
  const Plan real = make_plan(problem, {{0, 1}, {3, 2}}, {});
  CHECK(real.flops == 2.0 * 10 * 20 * 30 + 2.0 * 10 * 30 * 40);
  CHECK(real.naive_flops == 3.0 * 10 * 20 * 30 * 40);
  CHECK(real.largest_intermediate == 400);
  PlanOptions complex;
  complex.dtype = DType::complex128;
  CHECK(make_plan(problem, {{0, 1}, {3, 2}}, complex).flops == 4 * real.flops);
  CHECK(make_plan(problem_of("ij->", sizes), {{0}}, {}).flops == 12);
  CHECK(make_plan(problem_of("i,j->ij", sizes), {{0, 1}}, {}).flops == 12);
}

TEST_CASE("the predicted peak counts result, live intermediates, residents and scratch") {
  const Problem chain = problem_of("ab,bc,cd,de->ae", {{'a', 10}, {'c', 20}, {'d', 30}, {'e', 5}});
  PlanOptions options;
  options.resident_bytes = 1000;
  options.scratch_bytes = [](const Step& step) { return step.inputs[0] == 0 ? 64u : 16u; };
  // a*c, then a*c with a*d, then a*d alone, each beside the result a*e.
  CHECK(make_plan(chain, {{0, 1}, {4, 2}, {5, 3}}, options).predicted_peak_bytes ==
        1000 + 8 * (50 + 200 + 300) + 64);
  PlanOptions single;
  single.dtype = DType::float32;
  CHECK(make_plan(chain, {{0, 1}, {4, 2}, {5, 3}}, single).predicted_peak_bytes ==
        4 * (50 + 200 + 300));
}

TEST_CASE("sizes beyond 2^64 saturate") {
  const std::int64_t huge = std::int64_t{1} << 40;
  const Problem problem = bind(parse_spec("a,b,a,b->"),
                               {{{huge}, "x0"}, {{huge}, "x1"}, {{huge}, "x2"}, {{huge}, "x3"}});
  const Plan plan = make_plan(problem, {{0, 1}, {4, 2}, {5, 3}}, {});
  CHECK(plan.largest_intermediate == std::numeric_limits<std::int64_t>::max());
  CHECK(plan.predicted_peak_bytes == std::numeric_limits<std::uint64_t>::max());
  CHECK(plan.steps[0].work.units == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("the steps of random problems give the direct sum over all labels") {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const Problem problem = random_problem(random, 5);
    CAPTURE(seed);
    CAPTURE(text_of(problem));
    const Plan plan = make_plan(problem, find_path(problem, {}), {});
    CAPTURE(steps_text(plan));
    const std::vector<Dense> operands = random_operands(problem, random);
    const Dense expected = contract(operands, problem.output, problem.extents);
    const Dense result = evaluate(plan, operands);
    REQUIRE(result.axes == problem.output);
    REQUIRE(result.shape == expected.shape);
    REQUIRE(result.data == expected.data);
  }
}
