// Tile programs in graphs: a kernel that somebody wrote by hand, called as an op.
//
//   Tensor c = customKernel({.source = text, .name = "matmul",
//                            .reference = [](const std::vector<Tensor> &x) {
//                              return std::vector{matmul(x[0], x[1], {.transposeB = true})};
//                            }}, {a, b})[0];
#pragma once

#include "kiln/Graph.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kiln {

/// A tile program and what a graph has to know of it.
struct CustomKernel {
  /// .mlir text with a `tile.kernel`.
  std::string source;
  /// Its symbol; empty: the only one.
  std::string name = {};
  /// Names the order in which it sums: bits are equal within a class only.
  std::string orderClass = {};
  /// Extents of results that no operand has, and the program's scalar arguments, by name.
  std::map<std::string, double> values = {};
  /// What the program computes, in ops: what the interpreter judges it by, and what runs where the program does not (on
  /// a cpu, if its CTAs have threads). It sees only the tensors that it is given. May be empty.
  std::function<std::vector<Tensor>(const std::vector<Tensor> &)> reference = {};
};

/// The results of a tile program on these operands: those of its arguments that it writes, in order. Throws Error on a
/// program that does not parse, on operands that do not fit its arguments, and on a reference of other results.
std::vector<Tensor> customKernel(const CustomKernel &kernel, const std::vector<Tensor> &operands,
                                 Where where = Where::current());

} // namespace kiln
