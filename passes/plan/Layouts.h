//===- Layouts.h - tensors as a kernel's memory holds them --------------------------------------------------------===//
//
// A kernel may say that an operand or result does not lie dense and row-major. Whoever runs a kernel alone, between
// tensors that do, converts here.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef KILN_PASSES_PLAN_LAYOUTS_H
#define KILN_PASSES_PLAN_LAYOUTS_H

#include "ir/graph/Graph.h"

#include <kiln/HostTensor.h>

namespace kiln {

/// Memory for a kernel's operand (result) `i` as its layout says: a vector from the first to the last element, padding
/// included; the tensor's own shape where it is dense.
HostTensor operandMemory(graph::KernelOp kernel, size_t i);
HostTensor resultMemory(graph::KernelOp kernel, size_t i);

/// The operand as it lies in memory, padding zero.
HostTensor toOperandMemory(graph::KernelOp kernel, size_t i, const HostTensor &dense);
/// The result from memory that a kernel wrote.
HostTensor fromResultMemory(graph::KernelOp kernel, size_t i, const HostTensor &memory);

} // namespace kiln

#endif
