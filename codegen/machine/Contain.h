//===- Contain.h - keeps LLVM's fatal errors from ending the process ----------------------------------------------===//
#ifndef KILN_CODEGEN_MACHINE_CONTAIN_H
#define KILN_CODEGEN_MACHINE_CONTAIN_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace kiln::codegen {

/// Runs `work`; an LLVM fatal error or a crash inside it becomes an error with LLVM's text. The stack between is not
/// unwound, so what `work` owned then leaks. While any call runs, LLVM's crash handlers are installed; between calls
/// the process has its own. Any number of threads may be inside.
llvm::Error contained(llvm::function_ref<void()> work);

} // namespace kiln::codegen

#endif
