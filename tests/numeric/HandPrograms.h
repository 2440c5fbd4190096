// Tile programs that people write, run without a GPU: from text through the passes of the tile level to the
// interpreter.
#pragma once

#include "tests/numeric/KernelRunner.h"

#include "ir/tile/Tile.h"
#include "runtime/Expr.h"

namespace kiln::numeric {

/// What one launch of a program is made of, but for its inputs.
struct HandLaunch {
  Bindings extents = {};
  int64_t sms = 1;                            ///< CTAs that run at a time
  uint64_t seed = 0;                          ///< of who goes next, and of when copies land
  bool backwards = false;                     ///< the last cluster first
  std::map<std::string, double> scalars = {}; ///< by name
  int64_t mostOps = INT64_MAX;                ///< that a cluster may run
};

/// What became of a launch.
struct HandRun {
  enum class Outcome { Ended, Fault, Refused, Endless };
  Outcome outcome = Outcome::Ended;
  std::string reason; ///< of any other outcome than the first
  std::vector<HostTensor> results;
};

/// The one tile program of a module, as the interpreter runs it.
class HandProgram {
public:
  /// Throws std::runtime_error, with the diagnostics, where the text is no such module or a pass refuses it. `edit`
  /// changes the program behind the passes.
  HandProgram(mlir::MLIRContext &context, const std::string &text, const std::string &target,
              const TileEdit &edit = {});

  /// Runs all CTAs. Results hold 0xFF before, or, of odd seeds, 0xA5.
  HandRun run(std::span<const HostTensor> inputs, const HandLaunch &launch) const;
  /// Random inputs of the shapes that the extents say. Throws std::runtime_error where they do not say enough.
  std::vector<HostTensor> makeInputs(const Bindings &extents, uint64_t seed) const;
  /// The names of extents that a launch binds.
  std::vector<std::string> dims() const;

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  unsigned numInputs = 0;

  tile::KernelOp op() const {
    return *const_cast<mlir::OwningOpRef<mlir::ModuleOp> &>(module)->getOps<tile::KernelOp>().begin();
  }
  std::vector<int64_t> shapeOf(unsigned argument, const Bindings &extents) const;
  DType dtypeOf(unsigned argument) const;
};

} // namespace kiln::numeric
