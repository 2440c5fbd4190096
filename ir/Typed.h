//===- Typed.h - functions that take an op by its class, for tables of rows ---------------------------------------===//
#ifndef KILN_IR_TYPED_H
#define KILN_IR_TYPED_H

#include "mlir/IR/Operation.h"

namespace kiln::ir {

template <auto function> struct Typed;
template <typename Op, typename Result, typename... Rest, Result (*function)(Op, Rest...)> struct Typed<function> {
  static Result run(mlir::Operation *op, Rest... rest) { return function(mlir::cast<Op>(op), rest...); }
};

/// A function of one class of ops as one of any op, which is of that class where it is called.
template <auto function> constexpr auto typed = Typed<function>::run;

} // namespace kiln::ir

#endif
