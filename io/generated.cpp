#include "io/generated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <span>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/convert.hpp"
#include "io/random.hpp"
#include "io/selection.hpp"
#include "io/stored_array.hpp"

namespace tt::io {
namespace {

using core::Category;
using core::DType;
using core::Error;
using Complex = std::complex<double>;

enum class Kind {
  normal,
  uniform,
  spd,
  hermitian,
  orthogonal,
  eye,
  zeros,
  ones,
  arange,
  hilbert,
  sparse
};

struct KindRow {
  std::string_view name;
  Kind kind;
  enum Form { any, matrix, square, tall } form;  // what the last two axes must be
};

constexpr std::array<KindRow, 11> kinds = {{
    {"normal", Kind::normal, KindRow::any},
    {"uniform", Kind::uniform, KindRow::any},
    {"spd", Kind::spd, KindRow::square},
    {"hermitian", Kind::hermitian, KindRow::square},
    {"orthogonal", Kind::orthogonal, KindRow::tall},
    {"eye", Kind::eye, KindRow::matrix},
    {"zeros", Kind::zeros, KindRow::any},
    {"ones", Kind::ones, KindRow::any},
    {"arange", Kind::arange, KindRow::any},
    {"hilbert", Kind::hilbert, KindRow::matrix},
    {"sparse", Kind::sparse, KindRow::any},
}};

/// What the text says.
struct Recipe {
  const KindRow* row = &kinds[0];
  double density = 1;
  core::Shape shape;
  DType dtype = DType::float64;
  std::uint64_t seed = 0;
};

/// Parses the text; every message shows it whole.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text.substr(1)) {}

  Recipe parse() {
    parse_kind();
    parse_shape();
    while (!rest_.empty()) parse_option(take_until(','));
    if (text_.ends_with(',')) refuse("text is missing behind the last comma");
    check_form();
    return recipe_;
  }

 private:
  [[noreturn]] void refuse(std::string wrong) const {
    throw Error(Category::usage, std::move(wrong), std::string(text_),
                "@[KIND:]DIMxDIM...[,dtype][,seed=N], as in @spd:512x512,float32,seed=1");
  }

  /// The text before the separator, which goes too.
  std::string_view take_until(char separator) {
    const auto end = rest_.find(separator);
    const std::string_view part = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    return part;
  }

  template <class T>
  T number(std::string_view text, std::string_view what) const {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
      refuse(fmt::format("'{}' is no {}", text, what));
    return value;
  }

  void parse_kind() {
    if (rest_.find(':') == std::string_view::npos) return;
    std::string_view name = take_until(':');
    const auto equals = name.find('=');
    const std::string_view value = equals == std::string_view::npos ? "" : name.substr(equals + 1);
    name = name.substr(0, equals);
    const auto* row = std::ranges::find(kinds, name, &KindRow::name);
    if (row == kinds.end()) {
      std::vector<std::string> names;
      for (const KindRow& known : kinds) names.emplace_back(known.name);
      refuse(fmt::format("unknown kind '{}' (known: {})", name,
                         fmt::join(core::nearest_first(name, names), ", ")));
    }
    recipe_.row = row;
    const bool is_sparse = row->kind == Kind::sparse;
    if (!is_sparse && equals != std::string_view::npos)
      refuse(fmt::format("{} takes no value", name));
    if (!is_sparse) return;
    recipe_.density = number<double>(value, "density, as in sparse=0.1");
    if (!(recipe_.density >= 0 && recipe_.density <= 1)) refuse("a density is between 0 and 1");
  }

  void parse_shape() {
    std::string_view dims = take_until(',');
    if (dims == "()") return;
    for (;;) {
      const auto end = dims.find('x');
      const std::string_view dim = dims.substr(0, end);
      if (dim.starts_with('-')) refuse(fmt::format("'{}' is no extent", dim));
      recipe_.shape.push_back(number<std::int64_t>(dim, "extent"));
      if (end == std::string_view::npos) break;
      dims.remove_prefix(end + 1);
    }
    if (recipe_.shape.size() > 64) refuse("more than 64 dimensions");
    std::int64_t bytes = 16;
    for (const std::int64_t extent : recipe_.shape)
      if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
        refuse("more bytes than 64 bits count");
  }

  void parse_option(std::string_view option) {
    if (option.starts_with("seed=")) {
      recipe_.seed = number<std::uint64_t>(option.substr(5), "seed");
      return;
    }
    const auto dtype = core::find_dtype(option);
    if (!dtype) {
      std::vector<std::string> names;
      for (const DType known : core::all_dtypes()) names.emplace_back(core::dtype_name(known));
      refuse(fmt::format("'{}' is neither seed=N nor a dtype ({})", option,
                         fmt::join(core::nearest_first(option, names), ", ")));
    }
    recipe_.dtype = *dtype;
  }

  void check_form() const {
    const auto form = recipe_.row->form;
    const bool is_fractional =
        recipe_.row->kind == Kind::orthogonal || recipe_.row->kind == Kind::hilbert;
    if (is_fractional && core::is_integer(recipe_.dtype))
      refuse(fmt::format("{} has no integer elements", recipe_.row->name));
    if (form == KindRow::any) return;
    const std::size_t rank = recipe_.shape.size();
    if (rank < 2) refuse(fmt::format("{} needs two dimensions", recipe_.row->name));
    const std::int64_t m = recipe_.shape[rank - 2], n = recipe_.shape[rank - 1];
    if (form == KindRow::square && m != n)
      refuse(fmt::format("{} is square, not {}x{}", recipe_.row->name, m, n));
    if (form == KindRow::tall && m < n)
      refuse(fmt::format("{} has no more columns than rows, not {}x{}", recipe_.row->name, m, n));
  }

  std::string_view text_, rest_;
  Recipe recipe_;
};

/// Numbers by kind and index, in the widest type; rounded to the dtype afterwards.
class Maker {
 public:
  explicit Maker(const Recipe& recipe)
      : recipe_(recipe), random_(recipe.seed), complex_(core::is_complex(recipe.dtype)) {
    const std::size_t rank = recipe.shape.size();
    m_ = rank < 2 ? 1 : static_cast<std::uint64_t>(recipe.shape[rank - 2]);
    n_ = rank < 1 ? 1 : static_cast<std::uint64_t>(recipe.shape[rank - 1]);
  }

  /// Elements first, first + 1, ... in C order.
  void make(std::uint64_t first, std::span<Complex> out) const {
    for (Complex& x : out) x = element(first++);
  }

  /// One matrix of orthonormal columns: the reflections I - 2 v v^H / (v^H v) with random v,
  /// applied to the first n columns of the identity.
  void orthogonal(std::uint64_t item, Complex* q) const {
    std::vector<Complex> v(m_), w(n_);
    std::fill_n(q, m_ * n_, Complex{});
    for (std::uint64_t i = 0; i < n_; ++i) q[i * n_ + i] = 1;
    const std::uint64_t count = std::min<std::uint64_t>(m_, 16);
    for (std::uint64_t r = 0; r < count; ++r) {
      double norm = 0;
      for (std::uint64_t i = 0; i < m_; ++i) {
        v[i] = normal((item * count + r) * m_ + i);
        norm += std::norm(v[i]);
      }
      // w = v^H Q, then Q -= 2 v w / (v^H v)
      std::ranges::fill(w, Complex{});
      for (std::uint64_t i = 0; i < m_; ++i)
        for (std::uint64_t j = 0; j < n_; ++j) w[j] += times(std::conj(v[i]), q[i * n_ + j]);
      for (std::uint64_t i = 0; i < m_; ++i)
        for (std::uint64_t j = 0; j < n_; ++j) q[i * n_ + j] -= times(v[i] * (2 / norm), w[j]);
    }
  }

  /// Elements of one matrix.
  std::size_t matrix_count() const { return m_ * n_; }

 private:
  /// The product without the NaN rules of operator*, which call into a library.
  static Complex times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  Complex normal(std::uint64_t i) const {
    return complex_ ? Complex{random_.normal(2 * i), random_.normal(2 * i + 1)}
                    : Complex{random_.normal(i), 0};
  }

  Complex uniform(std::uint64_t i) const {
    return complex_ ? Complex{random_.uniform(2 * i), random_.uniform(2 * i + 1)}
                    : Complex{random_.uniform(i), 0};
  }

  /// Entry (i, j) of a Hermitian matrix: the upper triangle is drawn, the lower its conjugate.
  Complex hermitian(std::uint64_t item, std::uint64_t i, std::uint64_t j) const {
    const Complex x = normal((item * m_ + std::min(i, j)) * n_ + std::max(i, j));
    return i == j ? Complex{x.real(), 0} : i < j ? x : std::conj(x);
  }

  /// Gershgorin: a diagonal above the sum of the moduli in its row makes every eigenvalue positive.
  double dominant(std::uint64_t item, std::uint64_t i) const {
    double sum = 1;
    for (std::uint64_t j = 0; j < n_; ++j) {
      const Complex x = hermitian(item, i, j);
      if (j != i) sum += std::fabs(x.real()) + std::fabs(x.imag());
    }
    return sum;
  }

  Complex element(std::uint64_t at) const {
    const bool whole = core::is_integer(recipe_.dtype);
    switch (recipe_.row->kind) {
      case Kind::normal:
        return whole ? integer(random_.normal(at)) : normal(at);
      case Kind::uniform:
        return whole ? std::floor(100 * random_.uniform(at)) : uniform(at);
      case Kind::sparse:
        return sparse(at, whole);
      case Kind::zeros:
        return 0;
      case Kind::ones:
        return 1;
      case Kind::arange:
        return static_cast<double>(at);
      default:
        return matrix_element(at / n_ / m_, at / n_ % m_, at % n_);
    }
  }

  Complex matrix_element(std::uint64_t item, std::uint64_t i, std::uint64_t j) const {
    switch (recipe_.row->kind) {
      case Kind::eye:
        return i == j ? 1 : 0;
      case Kind::hilbert:
        return 1.0 / static_cast<double>(i + j + 1);
      case Kind::spd:
        return i == j ? Complex{dominant(item, i), 0} : hermitian(item, i, j);
      default:
        return hermitian(item, i, j);
    }
  }

  /// Three counters an element: whether it is there, and its value.
  Complex sparse(std::uint64_t at, bool whole) const {
    if (!(random_.uniform(3 * at) < recipe_.density)) return 0;
    const double re = random_.normal(3 * at + 1);
    return whole ? integer(re) : Complex{re, complex_ ? random_.normal(3 * at + 2) : 0};
  }

  Complex integer(double x) const {
    const double scaled = std::nearbyint(10 * x);
    const bool negative_allowed =
        core::dtype_kind(recipe_.dtype) == core::DTypeKind::signed_integer;
    return negative_allowed ? scaled : std::fabs(scaled);
  }

  const Recipe& recipe_;
  CounterRandom random_;
  bool complex_;
  std::uint64_t m_ = 1, n_ = 1;
};

/// Orthogonal matrices are made one at a time, in the widest type.
std::uint64_t scratch_bytes(const Recipe& recipe) {
  const bool is_made_whole =
      recipe.row->kind == Kind::orthogonal && core::element_count(recipe.shape) > 0;
  return is_made_whole ? Maker(recipe).matrix_count() * sizeof(Complex) : 0;
}

class GeneratedSource final : public Source {
 public:
  GeneratedSource(std::string_view text, std::string_view selection)
      : name_(std::string(text) + std::string(selection)),
        recipe_(Parser(text).parse()),
        selection_(parse_selection(selection, recipe_.shape, name_)),
        shape_(selected_shape(selection_)) {
    info_.dtype = recipe_.dtype;
    info_.shape = recipe_.shape;
  }

  const std::string& name() const override { return name_; }
  const ArrayInfo& stored() const override { return info_; }
  const core::Shape& shape() const override { return shape_; }
  std::uint64_t load_bytes(DType as) const override {
    return elements_bytes(info_, as) + scratch_bytes(recipe_);
  }

  core::Tensor load(DType as) override {
    NumberReader reader(recipe_);
    return select(read_elements(reader, info_, as, name_), selection_);
  }

 private:
  /// The numbers as a stream of stored elements, so that another dtype is the rounded number
  /// converted.
  class NumberReader final : public ByteReader {
   public:
    explicit NumberReader(const Recipe& recipe)
        : recipe_(recipe), maker_(recipe), matrix_(scratch_bytes(recipe), "an orthogonal matrix") {
      used_ = maker_.matrix_count();
    }

    void read(std::byte* to, std::size_t bytes) override {
      const std::size_t item = core::dtype_bytes(recipe_.dtype);
      for (std::size_t left = bytes / item; left > 0;) {
        const std::size_t now = std::min(left, wide_.size());
        const std::span<Complex> piece(wide_.data(), now);
        fill(piece);
        round(piece, to);
        to += now * item;
        left -= now;
      }
    }

   private:
    void fill(std::span<Complex> piece) {
      if (recipe_.row->kind != Kind::orthogonal) {
        maker_.make(next_, piece);
        next_ += piece.size();
        return;
      }
      for (Complex& x : piece) {
        if (used_ == maker_.matrix_count()) {
          maker_.orthogonal(next_++, matrix());
          used_ = 0;
        }
        x = matrix()[used_++];
      }
    }

    void round(std::span<Complex> piece, std::byte* to) const {
      const auto extent = static_cast<std::int64_t>(piece.size());
      const bool complex = core::is_complex(recipe_.dtype);
      // A real dtype takes every second double: the real parts.
      convert({reinterpret_cast<const std::byte*>(piece.data()),
               complex ? DType::complex128 : DType::float64,
               false,
               {extent},
               {complex ? 1 : 2}},
              {to, recipe_.dtype, {extent}, {1}}, "@");
    }

    Complex* matrix() const { return reinterpret_cast<Complex*>(matrix_.data()); }

    const Recipe& recipe_;
    Maker maker_;
    std::array<Complex, 512> wide_{};
    std::uint64_t next_ = 0;  // the next element; for orthogonal the next matrix
    core::Buffer matrix_;     // for orthogonal: the matrix under way
    std::size_t used_ = 0;    // elements taken from it
  };

  std::string name_;
  Recipe recipe_;
  Selection selection_;
  core::Shape shape_;
  ArrayInfo info_;
};

}  // namespace

std::unique_ptr<Source> open_generated(std::string_view text, std::string_view selection) {
  return std::make_unique<GeneratedSource>(text, selection);
}

}  // namespace tt::io
