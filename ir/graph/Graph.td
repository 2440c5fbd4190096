// Everything of the graph dialect, for tablegen. One family of ops per file.

#ifndef KILN_IR_GRAPH_GRAPH
#define KILN_IR_GRAPH_GRAPH

include "ir/graph/Custom.td"
include "ir/graph/Elementwise.td"
include "ir/graph/Kernel.td"
include "ir/graph/Reduce.td"
include "ir/graph/Shape.td"

#endif
