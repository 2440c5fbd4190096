// The generated definitions of the ops. Slow to compile and never edited, so they stand alone.
#include "ir/graph/Graph.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace kiln::graph;

#define GET_OP_CLASSES
#include "ir/graph/Graph.cpp.inc"
