//===- Ptx.h - the ptx dialect ----------------------------------------------------------------------------------===//
//
// C++ face of the ptx dialect. Its ops are documented in Ptx.td.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_IR_PTX_PTX_H
#define KILN_IR_PTX_PTX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/ptx/PtxDialect.h.inc"
#include "ir/ptx/PtxEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/ptx/PtxAttrs.h.inc"
#define GET_OP_CLASSES
#include "ir/ptx/Ptx.h.inc"

namespace kiln::ptx {

/// The attribute of a function that counts its shared memory, in bytes.
inline constexpr llvm::StringLiteral kSharedBytes = "ptx.shared_bytes";

/// The attribute of a function that says what its parameters are: ir/tile/Arguments.h.
inline constexpr llvm::StringLiteral kArguments = "ptx.arguments";
/// The attribute of a function that counts the CTAs of its clusters.
inline constexpr llvm::StringLiteral kCluster = "ptx.cluster";

/// LLVM's numbers of address spaces.
enum AddressSpace : unsigned { Global = 1, Shared = 3, SharedCluster = 7 };

} // namespace kiln::ptx

#endif
