// The families of the table of functions: one per element type, each returned by a file of its own.
#pragma once

#include "passes/functions/Functions.h"

namespace kiln::functions {

llvm::ArrayRef<FunctionRow> floatRows();
llvm::ArrayRef<FunctionRow> bfloat16Rows();
llvm::ArrayRef<FunctionRow> float16Rows();

} // namespace kiln::functions
