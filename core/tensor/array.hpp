// Arrays that own what they show: a C-ordered result or intermediate, and a tensor whose data lives
// in a file mapping or in a buffer.
#pragma once

#include <memory>
#include <string_view>

#include "core/tensor/memory.hpp"
#include "core/tensor/view.hpp"

namespace tt::core {

/// A C-ordered array of its own. The elements are unspecified until written.
class Array {
 public:
  Array() = default;
  /// Throws Error(memory) when it does not fit; `what` names it in the message ("the result").
  Array(DType dtype, Shape shape, std::string_view what = "an array");

  MutableArrayRef ref() { return {buffer_.data(), dtype_, shape_, c_strides(shape_)}; }
  ArrayRef ref() const { return {buffer_.data(), dtype_, shape_, c_strides(shape_)}; }
  std::size_t bytes() const { return buffer_.bytes(); }

 private:
  DType dtype_ = DType::float64;
  Shape shape_;
  Buffer buffer_;
};

/// A readable array together with whatever keeps its data alive (a mapping, a Buffer).
struct Tensor {
  std::shared_ptr<const void> owner;
  ArrayRef ref;
};

}  // namespace tt::core
