// Labels bound to sizes: what the contraction is, once the shapes of the operands are known.
// Ellipses are labels here, broadcasting is settled, the output is explicit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/spec.hpp"
#include "core/tensor/shape.hpp"

namespace tt::core {

struct OperandShape {
  Shape shape;
  std::string name;  // as messages name it: "a.h5:/x"
};

struct Problem {
  std::vector<std::string> names;     // by label, as printed: "i", "[row]", "..." axes as "...0"
  std::vector<std::int64_t> extents;  // by label
  std::vector<std::vector<Label>> inputs;  // by operand and axis; a label may repeat (diagonal)
  std::vector<Shape> shapes;             // by operand; an axis of 1 under a larger label broadcasts
  std::vector<Label> output;             // by axis; a label may repeat (writes the diagonal)
  std::vector<std::vector<int>> groups;  // parentheses, as in Spec

  Shape output_shape() const;
};

/// Binds the labels of a spec to the shapes of its operands. Throws Error(usage) on a wrong number
/// of operands, and Error(data) on ranks or sizes that do not fit: "label 'j' is 20 in operand 0
/// (a.h5:/x axis 1) but 30 in operand 1 (b.npy axis 0)".
Problem bind(const Spec& spec, const std::vector<OperandShape>& operands);

/// The problem of matmul: NumPy's rules, batch axes broadcast. Throws Error(data) for scalars,
/// inner sizes or batch axes that do not fit, naming both operands and sizes.
Problem bind_matmul(const OperandShape& a, const OperandShape& b);

}  // namespace tt::core
