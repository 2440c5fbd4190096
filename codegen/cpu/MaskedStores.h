//===- MaskedStores.h - a store of one lane is a scalar store -----------------------------------------------------===//
#ifndef KILN_CODEGEN_CPU_MASKEDSTORES_H
#define KILN_CODEGEN_CPU_MASKEDSTORES_H

namespace llvm {
class Function;
}

namespace kiln::codegen {

/// Replaces masked stores whose mask is known by stores of no lane, all lanes or the one lane. LLVM 22 would get the
/// last wrong on x86: of a vector of i16 that a truncation made it stores the one lane as the i32 that it was before.
void resolveMaskedStores(llvm::Function &function);

} // namespace kiln::codegen

#endif
