//===- PtxTranslation.h - ops of the ptx dialect as inline assembly -----------------------------------------------===//
#ifndef KILN_CODEGEN_PTX_PTXTRANSLATION_H
#define KILN_CODEGEN_PTX_PTXTRANSLATION_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace kiln::codegen {

/// Registers what gpu kernels' translation to LLVM IR needs beside the cpu's: nvvm and ptx.
void registerPtxTranslations(mlir::DialectRegistry &registry);

/// Whether only the "a" targets have the op's instructions (wgmma, setmaxnreg, tcgen05), whichever dialect it is of.
bool isArchSpecific(llvm::StringRef op);

/// The ops that have a row.
llvm::ArrayRef<llvm::StringRef> translatedPtxOps();

} // namespace kiln::codegen

#endif
