//===- Flatten.h - an object file as one piece of code that runs anywhere ----------------------------------------===//
//
// Links the object of one kernel, by JITLink, into a single run of bytes that holds code and constants and names few
// addresses: those of functions it calls, and rarely its own. The runtime loads that without LLVM, in this process or
// in another one.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_CODEGEN_CPU_FLATTEN_H
#define KILN_CODEGEN_CPU_FLATTEN_H

#include "runtime/KernelImage.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace kiln::codegen {

/// The function `symbol` of a relocatable x86-64 ELF object, with all that it needs of the object. Fails on writable
/// data, on addresses that are not eight bytes wide, and where JITLink does.
llvm::Expected<HostCodeImage> flatten(llvm::ArrayRef<char> object, llvm::StringRef symbol);

} // namespace kiln::codegen

#endif
