// Source and Sink: the two interfaces between files and arrays. A format is one file that
// implements both and one row in formats.cpp. Nothing here knows kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tensor/array.hpp"

namespace tt::io {

/// One axis of a NumPy basic slice, settled against the extent: count elements from first by step.
struct AxisSelection {
  std::int64_t first = 0, step = 1, count = 0;
  bool dropped = false;  // an integer index: the axis is gone
};
using Selection = std::vector<AxisSelection>;  // one per axis of the stored array

/// What is known of an array without reading it.
struct ArrayInfo {
  std::string path;  // member or dataset: "x", "/g/x"; empty for a file of one array
  core::DType dtype = core::DType::float64;
  core::Shape shape;
  bool fortran_order = false;
  bool big_endian = false;
  core::Shape chunks;                                           // empty: not chunked
  std::vector<std::string> filters;                             // "shuffle", "gzip 4"
  std::vector<std::pair<std::string, std::string>> attributes;  // name, value as JSON text
  std::uint64_t stored_bytes = 0;                               // in the file
};

/// One array to be read: shape and dtype are known (after the selection), no data is read yet.
class Source {
 public:
  virtual ~Source() = default;

  /// As messages name it: the operand as typed.
  virtual const std::string& name() const = 0;
  virtual const ArrayInfo& stored() const = 0;
  /// After the selection.
  virtual const core::Shape& shape() const = 0;
  core::DType dtype() const { return stored().dtype; }

  /// Bytes that `load` would allocate for that dtype: 0 when the file is mapped as it is.
  virtual std::uint64_t load_bytes(core::DType as) const = 0;

  /// The array, elements converted to `as` (any dtype; the same dtype is never copied when the file
  /// can be mapped, whatever the order and strides). A uint64 above 2^63-1 read as int64 is
  /// Error(data). Throws Error(io) or Error(data), naming the operand. A pipe that no other operand
  /// names can be loaded once.
  virtual core::Tensor load(core::DType as) = 0;
};

/// How results are stored.
struct SinkOptions {
  std::optional<int> compress;  // HDF5 gzip level
  core::Shape chunks;           // HDF5
  bool in_place = false;
  bool sync = false;
};

/// A named result about to be written.
struct ResultInfo {
  std::string name;
  core::DType dtype = core::DType::float64;
  core::Shape shape;
};

/// A place for results. Opening it checks what can fail cheaply (folder, permission); nothing is
/// visible under the target's name before commit. Destroyed without commit: nothing is left behind.
class Sink {
 public:
  virtual ~Sink() = default;
  /// Declares every result before the first is written. A target of one array refuses several with
  /// Error(usage) that names --only.
  virtual void declare(std::vector<ResultInfo> results) = 0;
  /// Writes one declared result, any strides.
  virtual void write(std::string_view name, const core::ArrayRef& array) = 0;
  virtual void commit() = 0;
};

}  // namespace tt::io
