// Whole plans against the one loop over all labels: every class of step, dtype and layout; the same
// bits for every width and token; int64 exact or reported; memory as the plan predicts.
#include "kernels/contract/run.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/cost/host_class.hpp"
#include "core/error.hpp"
#include "core/plan/path.hpp"
#include "core/plan/plan.hpp"
#include "core/tensor/memory.hpp"
#include "kernels/isa/table.hpp"
#include "tests/support/random.hpp"
#include "tests/support/reference.hpp"

using namespace tt;
using testing::Strided;

namespace {

#define EVERY_TYPE float, double, std::complex<float>, std::complex<double>, std::int64_t
#define EVERY_FLOAT float, double, std::complex<float>, std::complex<double>

template <class T>
struct Run {
  const kernels::KernelTable* isa = &kernels::select_isa(nullptr);
  std::vector<bool> conjugate = {};
  std::complex<double> alpha = 1, beta = 0;
  int threads = 1;
  core::TokenKind kind = core::TokenKind::team;
};

core::Problem problem_of(const std::string& spec, const std::vector<core::Shape>& shapes) {
  std::vector<core::OperandShape> operands;
  for (const core::Shape& shape : shapes)
    operands.push_back({shape, fmt::format("x{}", operands.size())});
  return core::bind(core::parse_spec(spec), operands);
}

core::Plan plan_of(const core::Problem& problem, core::DType dtype, const kernels::KernelTable& isa,
                   int members = 1) {
  const core::Path path =
      core::find_path(problem, {.dtype = dtype, .host = &core::planning_class_for_isa(isa.name)});
  return core::make_plan(problem, path,
                         {.dtype = dtype, .scratch_bytes = [&](const core::Step& step) {
                            return kernels::contract_scratch_bytes(step, dtype, isa, members);
                          }});
}

/// Runs the plan on operands of the problem; `result` holds the old value of C. With more than one
/// thread every step is forced onto all of them.
template <class T>
void run(const core::Plan& plan, const std::vector<core::ArrayRef>& operands,
         std::vector<T>& result, const Run<T>& how) {
  const core::Shape shape = plan.problem.output_shape();
  const kernels::ContractOptions options{
      .isa = how.isa, .conjugate = how.conjugate, .alpha = how.alpha, .beta = how.beta};
  core::ExecSettings settings;
  settings.kind = how.kind;
  settings.threads = settings.plan_budget = how.threads;
  settings.overrides = core::ParOverrides::parse("*=0");
  settings.host = core::find_builtin_host_class("generic");
  core::Session session(settings);
  session.run([&](const core::Exec& exec) {
    std::vector<core::Tensor> tensors;
    for (const core::ArrayRef& operand : operands) tensors.push_back({nullptr, operand});
    kernels::run_plan(exec, plan, tensors,
                      {result.data(), plan.dtype, shape, core::c_strides(shape)}, options);
  });
}

template <class T>
T as(std::complex<double> value) {
  if constexpr (testing::is_complex<T>) {
    return T(value);
  } else {
    return static_cast<T>(value.real());
  }
}

template <class T>
std::vector<T> random_result(const core::Problem& problem, std::mt19937_64& random) {
  return testing::c_ordered<T>(problem.output_shape(), random).data;
}

/// The result against the loop over all labels, then the bits of other widths against it.
template <class T>
void check_run(const core::Problem& problem, const std::vector<Strided<T>>& operands,
               Run<T> how = {}, const std::vector<int>& widths = {}) {
  std::mt19937_64 random(5);
  std::vector<core::ArrayRef> refs;
  for (const Strided<T>& operand : operands) refs.push_back(operand.ref());
  if (!how.conjugate.empty()) how.conjugate.resize(operands.size());
  const std::vector<T> before = random_result<T>(problem, random);
  const core::Plan plan = plan_of(problem, core::dtype_of<T>, *how.isa, 8);
  std::vector<T> C = before;
  how.threads = 1;
  run(plan, refs, C, how);

  const std::vector<testing::Element> expected = testing::contract<T>(problem, refs, how.conjugate);
  std::string wrong;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto operations =
        2 * expected[i].terms + 8 * static_cast<std::int64_t>(operands.size()) + 8;
    if (!testing::is_close(C[i], expected[i], as<T>(how.alpha), as<T>(how.beta), before[i],
                           operations) &&
        wrong.empty())
      wrong = fmt::format("element {}: {} instead of {}", i,
                          static_cast<double>(testing::widened(C[i]).real()),
                          static_cast<double>(expected[i].value.real()));
  }
  CHECK(wrong == "");

  for (const int threads : widths)
    for (const core::TokenKind kind :
         {core::TokenKind::team, core::TokenKind::pool, core::TokenKind::outside}) {
      CAPTURE(threads);
      CAPTURE(std::string(core::token_kind_name(kind)));
      how.threads = threads;
      how.kind = kind;
      std::vector<T> again = before;
      run(plan, refs, again, how);
      CHECK(std::memcmp(again.data(), C.data(), expected.size() * sizeof(T)) == 0);
    }
}

template <class T>
void check_spec(const std::string& spec, const std::vector<core::Shape>& shapes, Run<T> how = {},
                const std::vector<int>& widths = {}, unsigned seed = 1) {
  CAPTURE(spec);
  CAPTURE(seed);
  CAPTURE(std::string(core::dtype_name(core::dtype_of<T>)));
  CAPTURE(std::string(how.isa->name));
  std::string sizes;
  for (const core::Shape& shape : shapes) sizes += core::shape_text(shape) + " ";
  CAPTURE(sizes);
  for (const bool in_order : {true, false}) {
    CAPTURE(in_order);
    std::mt19937_64 random(seed);
    std::vector<Strided<T>> operands;
    for (const core::Shape& shape : shapes)
      operands.push_back(in_order ? testing::c_ordered<T>(shape, random)
                                  : testing::any_layout<T>(shape, random));
    check_run<T>(problem_of(spec, shapes), operands, how, widths);
  }
}

struct RandomSpec {
  std::string text;
  std::vector<core::Shape> shapes;
};

/// One to four operands over six labels: repeated labels, axes of 1 that broadcast, extents of 0,
/// any order of the output, now and then with a label twice.
RandomSpec random_spec(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::size_t>(random() % n); };
  const std::int64_t extents[] = {1, 2, 2, 3, 3, 4, 5, 7};
  std::vector<std::int64_t> extent(6);
  for (std::int64_t& e : extent) e = extents[below(8)];
  if (below(10) == 0) extent[below(6)] = 0;
  RandomSpec spec;
  std::vector<bool> met(6);
  const std::size_t operands = 1 + below(4);
  for (std::size_t i = 0; i < operands; ++i) {
    core::Shape shape;
    std::vector<bool> broadcasts(6);
    for (std::size_t label = 0; label < 6; ++label) broadcasts[label] = below(8) == 0;
    if (i > 0) spec.text += ',';
    for (std::size_t axes = below(5); axes > 0; --axes) {
      const std::size_t label = below(6);
      spec.text += static_cast<char>('a' + label);
      shape.push_back(broadcasts[label] ? 1 : extent[label]);
      met[label] = true;
    }
    spec.shapes.push_back(shape);
  }
  spec.text += "->";
  std::vector<char> output;
  for (std::size_t label = 0; label < 6; ++label)
    if (met[label] && below(2) == 0) output.push_back(static_cast<char>('a' + label));
  if (!output.empty() && below(8) == 0) output.push_back(output[0]);
  std::ranges::shuffle(output, random);
  spec.text.append(output.begin(), output.end());
  return spec;
}

/// The cases of every class of step, large enough that a section has several pieces.
const std::vector<RandomSpec>& cases_of_classes() {
  static const std::vector<RandomSpec> cases = {
      {"ij,jk->ik", {{70, 90}, {90, 60}}},
      {"bij,bjk->bik", {{5, 20, 31}, {5, 31, 17}}},
      {"ij,j->i", {{300, 517}, {517}}},
      {"ij,i->j", {{517, 300}, {517}}},
      {"bij,bj->bi", {{3, 111, 257}, {3, 257}}},
      {"i,i->", {{70001}, {70001}}},
      {"bi,bi->b", {{9, 1300}, {9, 1300}}},
      {"i,j->ij", {{301}, {173}}},
      {"i,j->ji", {{301}, {173}}},
      {"ij,ij->ij", {{210, 130}, {210, 130}}},
      {"ij,ji->ij", {{210, 130}, {130, 210}}},
      {"ij,j->ij", {{210, 130}, {130}}},
      {"i,i->i", {{50021}, {50021}}},
      {"ij->ji", {{211, 173}}},
      {"ijk->kji", {{31, 43, 29}}},
      {"ijk->kij", {{37, 41, 2}}},
      {"i->i", {{50021}}},
      {"ii->i", {{200, 200}}},
      {"i->ii", {{200}}},
      {"ii->", {{300, 300}}},
      {"ij->i", {{130, 700}}},
      {"ij->j", {{700, 130}}},
      {"ijk->j", {{33, 50, 47}}},
      {"ij->", {{300, 301}}},
      {"i->", {{70001}}},
      {"ij,jk,kl->il", {{30, 41}, {41, 52}, {52, 23}}},
      {"ij,kj,lj->ikl", {{13, 40}, {17, 40}, {11, 40}}},
  };
  return cases;
}

}  // namespace

TEST_CASE_TEMPLATE("every class of step is the sum over its labels", T, EVERY_TYPE) {
  for (const kernels::KernelTable* isa : kernels::supported_isas())
    for (const RandomSpec& c : cases_of_classes()) check_spec<T>(c.text, c.shapes, {.isa = isa});
}

TEST_CASE_TEMPLATE("the bits are those of one thread, for every width and token", T, EVERY_TYPE) {
  for (const RandomSpec& c : cases_of_classes()) check_spec<T>(c.text, c.shapes, {}, {2, 3, 8});
}

TEST_CASE_TEMPLATE("random contractions in random layouts", T, EVERY_TYPE) {
  std::mt19937_64 random(2024);
  for (unsigned i = 0; i < 500; ++i) {
    const RandomSpec c = random_spec(random);
    Run<T> how;
    if (i % 3 == 1) how.conjugate = {true, false, true, true};
    if (i % 4 == 1) how.alpha = {3, -2};
    if (i % 5 == 1) how.beta = {-2, 1};
    check_spec<T>(c.text, c.shapes, how, {}, i);
  }
}

TEST_CASE_TEMPLATE("alpha, beta and conjugation in every class of step", T, EVERY_TYPE) {
  Run<T> how;
  how.alpha = {2, -1};
  how.beta = {-3, 2};
  how.conjugate = {false, true, true};
  for (const RandomSpec& c : cases_of_classes()) check_spec<T>(c.text, c.shapes, how);
  how.conjugate = {true, false, true};
  for (const RandomSpec& c : cases_of_classes()) check_spec<T>(c.text, c.shapes, how);
}

TEST_CASE_TEMPLATE("beta 0 reads no old value", T, EVERY_FLOAT) {
  const auto nan = std::numeric_limits<testing::Real<T>>::quiet_NaN();
  for (const RandomSpec& c : cases_of_classes()) {
    CAPTURE(c.text);
    std::mt19937_64 random(3);
    const core::Problem problem = problem_of(c.text, c.shapes);
    std::vector<Strided<T>> operands;
    std::vector<core::ArrayRef> refs;
    for (const core::Shape& shape : c.shapes)
      operands.push_back(testing::c_ordered<T>(shape, random));
    for (const Strided<T>& operand : operands) refs.push_back(operand.ref());
    std::vector<T> clean = random_result<T>(problem, random), dirty(clean.size(), T(nan));
    Run<T> how;
    const core::Plan plan = plan_of(problem, core::dtype_of<T>, *how.isa);
    run(plan, refs, clean, how);
    run(plan, refs, dirty, how);
    CHECK(std::memcmp(clean.data(), dirty.data(), clean.size() * sizeof(T)) == 0);
  }
}

TEST_CASE("an axis of 1 under a label that another operand sums is not summed twice") {
  // (a i)(i b) has no i of its own: it meets i again in the third operand.
  check_spec<double>("ai,ib,i->ab", {{3, 1}, {1, 4}, {5}});
  check_spec<double>("(ai,ib),i->ab", {{3, 1}, {1, 4}, {5}});
  check_spec<double>("(i,i),i->", {{1}, {1}, {5}});
  check_spec<std::int64_t>("(ij,i),ji->", {{3, 1}, {1}, {4, 3}});
}

TEST_CASE("zero extents give zeros, or beta times what was there") {
  for (const std::complex<double> beta : {0.0, 2.0})
    for (const RandomSpec& c :
         std::vector<RandomSpec>{{"ij,jk->ik", {{3, 0}, {0, 4}}},
                                 {"ij,jk->ik", {{0, 3}, {3, 4}}},
                                 {"ij,j->i", {{3, 0}, {0}}},
                                 {"bij,bjk->bik", {{0, 2, 3}, {0, 3, 4}}},
                                 {"i->", {{0}}},
                                 {"ij->j", {{0, 5}}},
                                 {"ij->ji", {{0, 5}}},
                                 {"i->ii", {{0}}},
                                 {",->", {{}, {}}},
                                 {"i,->i", {{4}, {}}},
                                 {"ij,jk,kl->il", {{2, 0}, {0, 3}, {3, 2}}}}) {
      Run<double> how;
      how.beta = beta;
      check_spec<double>(c.text, c.shapes, how);
      check_spec<std::int64_t>(c.text, c.shapes, {.beta = beta});
    }
}

namespace {

/// The message of the Error that the contraction of these values ends with, or "".
std::string overflow_of(const std::string& spec,
                        const std::vector<std::vector<std::int64_t>>& vectors,
                        std::vector<std::int64_t>& C, std::complex<double> alpha = 1,
                        std::complex<double> beta = 0) {
  std::vector<core::Shape> shapes;
  std::vector<core::ArrayRef> refs;
  for (const auto& vector : vectors) {
    shapes.push_back({static_cast<std::int64_t>(vector.size())});
    refs.push_back({vector.data(), core::DType::int64, shapes.back(), {1}});
  }
  Run<std::int64_t> how;
  how.alpha = alpha;
  how.beta = beta;
  const core::Plan plan = plan_of(problem_of(spec, shapes), core::DType::int64, *how.isa);
  try {
    run(plan, refs, C, how);
  } catch (const core::Error& error) {
    CHECK(error.category() == core::Category::numerical);
    return error.what();
  }
  return "";
}

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

}  // namespace

TEST_CASE("int64: a value that fits is exact, whatever its parts do") {
  std::vector<std::int64_t> C = {0};
  CHECK(overflow_of("i->", {{most, most, -5, -most, -most, least, least, most, most, 2}}, C) == "");
  CHECK(C[0] == -5);
  CHECK(overflow_of("i,i->", {{most, most, 7}, {most, most, 3}}, C) ==
        "integer overflow: int64 cannot hold a result: step 0 (i,i->): --dtype float64 computes in "
        "floating point");
  CHECK(overflow_of("i,i->", {{most, -most, 7}, {most, most, 3}}, C) == "");
  CHECK(C[0] == 21);
  CHECK(overflow_of("i,i->", {{std::int64_t{1} << 31, 1}, {std::int64_t{1} << 31, -1}}, C) == "");
  CHECK(C[0] == (std::int64_t{1} << 62) - 1);
  // Long enough for vectors, with one large element in the middle.
  std::vector<std::int64_t> ones(5000, 1), large(5000, most);
  CHECK(overflow_of("i->", {large}, C) != "");
  large[77] = least;
  for (std::size_t i = 0; i < large.size(); i += 2) large[i] = -most;
  large[77] = most - 1;
  CHECK(overflow_of("i->", {large}, C) == "");
  CHECK(C[0] == -1);
  CHECK(overflow_of("i,i->", {large, ones}, C) == "");
  CHECK(C[0] == -1);
  // alpha and beta are part of the value.
  CHECK(overflow_of("i->", {{most, 1}}, C) != "");
  C = {1};
  CHECK(overflow_of("i->", {{most, 1}}, C, 1, -1) == "");
  CHECK(C[0] == most);
  C = {0};
  CHECK(overflow_of("i->", {{most, 1}}, C, -1) == "");
  CHECK(C[0] == least);
}

TEST_CASE("int64: overflow element by element, in an outer product and in an intermediate") {
  std::vector<std::int64_t> C(4, 0);
  CHECK(overflow_of("i->i", {{most, least}}, C, 1) == "");
  CHECK(C[1] == least);
  CHECK(overflow_of("i->i", {{most, least}}, C, -1) != "");
  CHECK(overflow_of("i,i->i", {{most, 3}, {1, most}}, C) != "");
  CHECK(overflow_of("i,j->ij", {{2, 3}, {most / 2, -1}}, C) != "");
  CHECK(overflow_of("i,j->ij", {{2, -2}, {most / 2, -1}}, C) == "");
  CHECK(C == std::vector<std::int64_t>{most - 1, -2, -(most - 1), 2});
  // No terms, no overflow.
  C = {7};
  CHECK(overflow_of("(i,i),j->", {{most}, {2}, {}}, C) == "");
  CHECK(C[0] == 0);
  C.assign(4, 0);
  const std::string message = overflow_of("(i,i),i->i", {{most}, {2}, {0}}, C);
  CHECK(message.find("step 0 (i,i->i)") != std::string::npos);
  C = {most, 0};
  CHECK(overflow_of("i->i", {{1, 1}}, C, 1, 1) != "");
  C = {most, 0};
  CHECK(overflow_of("i->i", {{-1, 1}}, C, 1, 1) == "");
  CHECK(C == std::vector<std::int64_t>{most - 1, 1});
}

TEST_CASE_TEMPLATE("NaN and infinity go where IEEE says", T, EVERY_FLOAT) {
  using R = testing::Real<T>;
  const R nan = std::numeric_limits<R>::quiet_NaN(), inf = std::numeric_limits<R>::infinity();
  const core::Problem problem = problem_of("ij,j->i", {{3, 70}, {70}});
  std::vector<T> A(3 * 70, T(1)), x(70, T(1)), y(3);
  A[5] = nan;
  A[70 + 69] = inf;
  const std::vector<core::ArrayRef> refs = {{A.data(), core::dtype_of<T>, {3, 70}, {70, 1}},
                                            {x.data(), core::dtype_of<T>, {70}, {1}}};
  Run<T> how;
  run(plan_of(problem, core::dtype_of<T>, *how.isa), refs, y, how);
  CHECK(std::isnan(std::real(y[0])));
  CHECK(std::real(y[1]) == inf);
  CHECK(y[2] == T(70));
  A[70 + 3] = -inf;
  run(plan_of(problem, core::dtype_of<T>, *how.isa), refs, y, how);
  CHECK(std::isnan(std::real(y[1])));
}

TEST_CASE("a million terms of float32 lose no more than the logarithm of their count") {
  const std::int64_t k = 1 << 20;
  struct Row {
    std::string spec;
    std::vector<core::Shape> shapes;
  };
  for (const Row& row : std::vector<Row>{{"i->", {{k}}},
                                         {"i,i->", {{k}, {k}}},
                                         {"ij->j", {{k, 3}}},
                                         {"ij->i", {{3, k}}},
                                         {"ij,i->j", {{k, 3}, {k}}},
                                         {"ij,j->i", {{3, k}, {k}}}})
    for (const kernels::KernelTable* isa : kernels::supported_isas()) {
      CAPTURE(row.spec);
      CAPTURE(std::string(isa->name));
      std::mt19937_64 random(8);
      std::uniform_real_distribution<float> positive(0.5F, 1);
      std::vector<Strided<float>> operands;
      std::vector<core::ArrayRef> refs;
      for (const core::Shape& shape : row.shapes) {
        operands.push_back(testing::c_ordered<float>(shape, random));
        for (float& value : operands.back().data) value = positive(random);
      }
      for (const Strided<float>& operand : operands) refs.push_back(operand.ref());
      const core::Problem problem = problem_of(row.spec, row.shapes);
      const std::vector<testing::Element> expected = testing::contract<float>(problem, refs);
      std::vector<float> C(expected.size());
      Run<float> how;
      how.isa = isa;
      run(plan_of(problem, core::DType::float32, *isa), refs, C, how);
      // Rounding of a term: a leaf of 128 in the worst order, then 13 levels of pairs.
      for (std::size_t i = 0; i < C.size(); ++i)
        CHECK(testing::is_close<float>(C[i], expected[i], 1, 0, 0, 16));
    }
}

TEST_CASE("a batch item has the bits of the single call") {
  std::mt19937_64 random(6);
  struct Row {
    std::string batched, single;
    core::Shape A, B;
  };
  for (const Row& row : std::vector<Row>{{"bij,bj->bi", "ij,j->i", {40, 90}, {90}},
                                         {"bij,bi->bj", "ij,i->j", {90, 40}, {90}},
                                         {"bi,bi->b", "i,i->", {700}, {700}},
                                         {"bij,bjk->bik", "ij,jk->ik", {9, 30}, {30, 8}}}) {
    CAPTURE(row.batched);
    const std::int64_t items = 5;
    core::Shape stacked_A = row.A, stacked_B = row.B;
    stacked_A.insert(stacked_A.begin(), items);
    stacked_B.insert(stacked_B.begin(), items);
    const auto A = testing::c_ordered<float>(stacked_A, random);
    const auto B = testing::c_ordered<float>(stacked_B, random);
    Run<float> how;
    const core::Problem all = problem_of(row.batched, {stacked_A, stacked_B});
    std::vector<float> C(static_cast<std::size_t>(core::element_count(all.output_shape())));
    run(plan_of(all, core::DType::float32, *how.isa), {A.ref(), B.ref()}, C, how);
    const core::Problem one = problem_of(row.single, {row.A, row.B});
    const auto size = static_cast<std::size_t>(core::element_count(one.output_shape()));
    std::vector<float> item(size);
    for (std::size_t i = 0; i < items; ++i) {
      const auto place = [&](const Strided<float>& stack, const core::Shape& shape) {
        return core::ArrayRef{
            stack.data.data() + static_cast<std::int64_t>(i) * core::element_count(shape),
            core::DType::float32, shape, core::c_strides(shape)};
      };
      run(plan_of(one, core::DType::float32, *how.isa), {place(A, row.A), place(B, row.B)}, item,
          how);
      CHECK(std::memcmp(item.data(), C.data() + i * size, size * sizeof(float)) == 0);
    }
  }
}

TEST_CASE("a dry run decides every step and reads nothing") {
  const core::Problem problem = problem_of("ij,jk,k->i", {{50, 60}, {60, 70}, {70}});
  const kernels::KernelTable& isa = kernels::select_isa(nullptr);
  const core::Plan plan = plan_of(problem, core::DType::float64, isa);
  core::ExecSettings settings;
  settings.plan_budget = 8;
  settings.host = core::find_builtin_host_class("generic");
  settings.trace = settings.dry = true;
  core::Session session(settings);
  session.run([&](const core::Exec& exec) {
    std::vector<core::Tensor> tensors;
    for (const core::Shape& shape : problem.shapes)
      tensors.push_back({nullptr, {nullptr, core::DType::float64, shape, core::c_strides(shape)}});
    kernels::run_plan(exec, plan, tensors, {nullptr, core::DType::float64, {50}, {1}},
                      {.isa = &isa, .conjugate = {}, .matvec_site = "matvec"});
  });
  std::vector<std::string> sites, paths;
  for (const core::Record& record : session.records()) {
    if (std::string_view(record.site) == "team.open") continue;
    sites.push_back(record.site);
    paths.push_back(record.path);
    CHECK(record.measured_ns < 0);
  }
  CHECK(sites == std::vector<std::string>(2, "matvec"));
  CHECK(paths == std::vector<std::string>{"step.0", "step.1"});
}

TEST_CASE("an operand is released after the last step that reads it") {
  // The first two operands go while their product, an intermediate of n x n, still lives.
  const std::int64_t n = 64;
  const core::Problem problem = problem_of("(ij,jk),kl->il", {{n, n}, {n, n}, {n, n}});
  const kernels::KernelTable& isa = kernels::select_isa(nullptr);
  const core::Plan plan = plan_of(problem, core::DType::float64, isa);
  std::mt19937_64 random(2);
  std::vector<Strided<double>> operands;
  for (const core::Shape& shape : problem.shapes)
    operands.push_back(testing::c_ordered<double>(shape, random));
  std::vector<double> result(n * n);
  const std::uint64_t before = core::allocated_bytes();
  std::vector<std::uint64_t> held_at_release(3, 0);
  std::vector<core::Tensor> tensors;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto note = [&held_at_release, i, before](const void*) {
      held_at_release[i] = core::allocated_bytes() - before;
    };
    tensors.push_back(
        {std::shared_ptr<const void>(operands[i].data.data(), note), operands[i].ref()});
  }
  kernels::run_plan(core::Exec::serial(), plan, std::move(tensors),
                    {result.data(), core::DType::float64, {n, n}, {n, 1}},
                    {.isa = &isa, .conjugate = {}});
  CHECK(held_at_release[0] >= static_cast<std::uint64_t>(n * n) * sizeof(double));
  CHECK(held_at_release[1] >= static_cast<std::uint64_t>(n * n) * sizeof(double));
}

TEST_CASE("every class of step is cut into pieces for its members") {
  for (const RandomSpec& c : std::vector<RandomSpec>{{"ij,jk->ik", {{200, 200}, {200, 200}}},
                                                     {"ij,j->i", {{700, 700}, {700}}},
                                                     {"ij,i->j", {{700, 700}, {700}}},
                                                     {"i,i->", {{300000}, {300000}}},
                                                     {"i->", {{300000}}},
                                                     {"ij->j", {{100000, 3}}},
                                                     {"i,j->ij", {{700}, {700}}},
                                                     {"i,i->i", {{300000}, {300000}}},
                                                     {"i->i", {{300000}}},
                                                     {"ij->ji", {{700, 700}}}}) {
    CAPTURE(c.text);
    std::mt19937_64 random(3);
    const core::Problem problem = problem_of(c.text, c.shapes);
    std::vector<Strided<double>> operands;
    std::vector<core::Tensor> tensors;
    for (const core::Shape& shape : c.shapes)
      operands.push_back(testing::c_ordered<double>(shape, random));
    for (const Strided<double>& operand : operands) tensors.push_back({nullptr, operand.ref()});
    std::vector<double> C = random_result<double>(problem, random);
    const kernels::KernelTable& isa = kernels::select_isa(nullptr);
    const core::Plan plan = plan_of(problem, core::DType::float64, isa, 2);
    core::ExecSettings settings;
    settings.threads = settings.plan_budget = 2;
    settings.overrides = core::ParOverrides::parse("*=0");
    settings.host = core::find_builtin_host_class("generic");
    settings.trace = true;
    core::Session session(settings);
    session.run([&](const core::Exec& exec) {
      const core::Shape shape = problem.output_shape();
      kernels::run_plan(exec, plan, tensors,
                        {C.data(), core::DType::float64, shape, core::c_strides(shape)},
                        {.isa = &isa, .conjugate = {}});
    });
    const std::vector<core::Record> records = session.records();
    REQUIRE(!records.empty());
    CHECK(std::string(records.back().site) == "contract.step");
    CHECK(records.back().realised_width == 2);
  }
}

TEST_CASE("memory is what the plan predicts, and no operand is copied") {
  // Layouts that a transposing contraction would copy.
  const std::int64_t n = 1024;
  const core::Problem problem = problem_of("ji,kj,lk->il", {{n, n}, {n, n}, {n, n}});
  const kernels::KernelTable& isa = kernels::select_isa(nullptr);
  const core::Plan plan = plan_of(problem, core::DType::float64, isa);
  std::mt19937_64 random(2);
  std::vector<Strided<double>> operands;
  std::vector<core::Tensor> tensors;
  for (const core::Shape& shape : problem.shapes)
    operands.push_back(testing::c_ordered<double>(shape, random));
  for (const Strided<double>& operand : operands) tensors.push_back({nullptr, operand.ref()});
  core::Array result(core::DType::float64, {n, n});
  kernels::run_plan(core::Exec::serial(), plan, tensors, result.ref(),
                    {.isa = &isa, .conjugate = {}});
  const auto predicted = static_cast<double>(plan.predicted_peak_bytes);
  const auto peak = static_cast<double>(core::peak_allocated_bytes());
  CHECK(peak <= 1.05 * predicted);
  CHECK(peak >= 0.95 * predicted);
  CHECK(core::allocated_bytes() == result.bytes());
}
