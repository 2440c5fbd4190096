//===- LoneProgram.h - a graph around a tile program
//---------------------------------------------------------------===//
#ifndef KILN_COMPILER_DSL_LONEPROGRAM_H
#define KILN_COMPILER_DSL_LONEPROGRAM_H

#include "compiler/kiln/Graph.h"
#include "ir/graph/Programs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::dsl {

/// "M=4096,scale=0.5" as values by name. Throws Error (usage), naming `option`, on other text and a name given twice.
std::map<std::string, double> parseBindings(const std::string &option, llvm::StringRef text);

/// Whether a module holds tile programs and no function.
bool holdsProgramsAlone(mlir::ModuleOp module);

/// Adds `func.func @main`, which calls the program `entry` ("main": the only one), with inputs and outputs named as its
/// arguments. Throws Error (invalid input), naming `origin`, where the program is not there or `bindings` do not say
/// enough; a call that does not fit is a diagnostic.
mlir::FailureOr<mlir::func::FuncOp> wrapProgram(mlir::ModuleOp module, const std::string &entry,
                                                const ProgramBindings &bindings, const std::string &origin);

/// The scalars of a call as attributes, by the program's scalar arguments' names. Throws Error (invalid input) on a
/// name that is no argument, one that has no value, and a value that is none of its type.
mlir::ArrayAttr scalarAttributes(const graph::Program &program, const std::map<std::string, double> &values,
                                 const std::string &origin);

} // namespace kiln::dsl

#endif
