//===- ProgramChoice.h - what graph-choose-programs tells ---------------------------------------------------------===//
#ifndef KILN_PASSES_GRAPH_PROGRAMCHOICE_H
#define KILN_PASSES_GRAPH_PROGRAMCHOICE_H

#include "passes/graph/Passes.h"

#include "mlir/IR/Location.h"

#include <memory>
#include <string>
#include <vector>

namespace kiln::graph {

/// What computes one graph.custom_kernel.
struct ProgramChoice {
  mlir::Location call;    ///< the op's
  std::string program;    ///< the symbol, without its @
  bool reference = false; ///< the reference region's ops do, not the program
  std::string reason;     ///< why, of a reference
  std::string orderClass; ///< the op's; of a reference, none
};

/// graph-choose-programs that appends its choices, in program order, to `choices` (may be null; else it outlives the
/// pass).
std::unique_ptr<mlir::Pass> createChooseProgramsPass(const ChooseProgramsOptions &options,
                                                     std::vector<ProgramChoice> *choices);

} // namespace kiln::graph

#endif
