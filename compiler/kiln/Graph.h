// A model graph, written in C++: inputs and parameters go in, ops (kiln/Ops.h) make tensors of tensors, outputs come
// out. Every shape and type error is thrown as the graph is written, as a kiln::Error that names the op, the rule and
// the user's line.
//
//   kiln::Graph g;
//   auto x = g.input("x", {8192, 4096});
//   auto w = g.parameter("w", {4096, 4096});
//   g.output("y", gelu(matmul(x, w)));
#pragma once

#include "kiln/DType.h"
#include "kiln/HostTensor.h"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kiln {

namespace dsl {
class GraphImpl;
struct Access;
} // namespace dsl

/// A line of the user's program; functions take the caller's by default.
using Where = std::source_location;

/// Extents of a tensor, outermost first. Empty: a scalar (rank 0).
using Shape = std::vector<int64_t>;

/// A value of a graph: a small handle, cheap to copy. It keeps its graph alive.
class Tensor {
public:
  /// No value; any use of it throws Error (usage).
  Tensor() = default;

  Shape shape() const;
  DType dtype() const;
  int64_t rank() const { return static_cast<int64_t>(shape().size()); }
  /// The extent of dimension `axis`; negative axes count from the last. Throws Error outside the rank.
  int64_t extent(int64_t axis, Where where = Where::current()) const;
  /// "f32[8, 128]".
  std::string typeString() const;

private:
  friend struct dsl::Access;
  std::shared_ptr<dsl::GraphImpl> graph;
  void *value = nullptr;
};

/// What operators and functions take: a tensor, or a C++ scalar that takes the other operand's dtype. Made implicitly,
/// which is how an op learns the line that wrote it.
class Operand {
public:
  Operand(const Tensor &tensor, Where where = Where::current()) : content(tensor), where(where) {}
  Operand(bool value, Where where = Where::current()) : content(value), where(where) {}
  Operand(std::floating_point auto value, Where where = Where::current())
      : content(static_cast<double>(value)), where(where) {}
  Operand(std::integral auto value, Where where = Where::current()) : where(where) {
    if (std::in_range<int64_t>(value))
      content = static_cast<int64_t>(value);
    else
      content = static_cast<double>(value);
  }

  std::variant<Tensor, double, int64_t, bool> content;
  Where where;
};

/// Which dimensions a reduction combines: `-1`, `{0, 2}`, `Axes::all()`. Negative ones count from the last. `{}` is
/// none.
class Axes {
public:
  Axes() = default;
  Axes(std::integral auto axis) : axes{static_cast<int64_t>(axis)} {}
  Axes(std::initializer_list<int64_t> axes) : axes(axes) {}
  Axes(std::vector<int64_t> axes) : axes(std::move(axes)) {}
  static Axes all() {
    Axes every;
    every.isAll = true;
    return every;
  }

  std::vector<int64_t> axes;
  bool isAll = false;
};

/// What an input, a parameter or an output of a graph is.
struct TensorInfo {
  std::string name;
  DType dtype = DType::F32;
  Shape shape;
  bool parameter = false; ///< bound once at load time, not given to each run
};

/// What a tile program that stands alone in a file is compiled for.
struct ProgramBindings {
  std::map<std::string, Shape> inputs =
      {}; ///< shapes of arguments that it reads, by `tile.name`, else "arg0", "arg1", …
  std::map<std::string, double> values = {}; ///< extents that `tile.dims` name, and scalar arguments, by name
  int64_t otherExtents = 0;                  ///< what other extents are taken to be; 0: that is an error
};

class Graph {
public:
  Graph();

  /// The graph in an .mlir file, text or bytecode: its function `entry`. Throws Error (invalid input) with the place in
  /// the file on anything that is not a graph. A file of tile programs alone is the graph that calls one of them,
  /// `entry` or the only one, for `bindings`.
  static Graph fromFile(const std::string &path, const std::string &entry = "main",
                        const ProgramBindings &bindings = {});
  /// The same from memory; `origin` names the text in errors.
  static Graph fromText(std::string_view text, const std::string &origin = "<text>", const std::string &entry = "main",
                        const ProgramBindings &bindings = {});

  /// A tensor each run is given. Throws Error on a name used before, empty, not UTF-8 or with a `=`, or a dtype no op
  /// takes yet.
  Tensor input(const std::string &name, Shape shape, DType dtype = DType::F32, Where where = Where::current());
  /// A tensor bound by name when the graph is loaded (weights).
  Tensor parameter(const std::string &name, Shape shape, DType dtype = DType::F32, Where where = Where::current());
  /// Makes `value` the result `name`. At least one output is needed; results keep the order of these calls.
  void output(const std::string &name, const Operand &value);

  /// A tensor whose elements all are `value` (which must fit `dtype`).
  Tensor full(Shape shape, const Operand &value, DType dtype = DType::F32);
  Tensor zeros(Shape shape, DType dtype = DType::F32, Where where = Where::current());
  Tensor ones(Shape shape, DType dtype = DType::F32, Where where = Where::current());
  /// The elements of `data`. Meant for small tables; weights are parameters.
  Tensor constant(const HostTensor &data, Where where = Where::current());
  /// Each element's own index along `axis`.
  Tensor iota(Shape shape, int64_t axis, DType dtype = DType::I64, Where where = Where::current());
  /// 0, 1, ..., count - 1.
  Tensor arange(int64_t count, DType dtype = DType::I64, Where where = Where::current());

  /// Inputs and parameters so far, in the order of their declaration.
  std::vector<TensorInfo> inputs() const;
  /// The outputs so far, in order.
  std::vector<TensorInfo> outputs() const;

  /// The graph as .mlir text, which fromText and `kiln run` read. `locations`: with the user's line behind every op.
  std::string mlir(bool locations = false) const;

private:
  friend struct dsl::Access;
  std::shared_ptr<dsl::GraphImpl> impl;
};

} // namespace kiln
