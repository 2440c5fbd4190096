//===- KernelCosts.h - what a kernel absorbed, moves and computes -------------------------------------------------===//
//
// Counts read off a graph.kernel's region, for reports only: nothing decides by them.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_COMPILER_REPORT_KERNELCOSTS_H
#define KILN_COMPILER_REPORT_KERNELCOSTS_H

#include "compiler/kiln/Report.h"
#include "ir/graph/Graph.h"

namespace kiln::report {

/// The row of a kernel in the report, without `launches` and `compileSeconds`.
KernelReport describe(graph::KernelOp kernel);

} // namespace kiln::report

#endif
