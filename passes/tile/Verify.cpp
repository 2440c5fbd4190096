// tile-verify: all rules that whole tile programs are held to, as a pipeline of their passes.
#include "passes/tile/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace kiln;

void tile::addVerifyPasses(OpPassManager &kernel) {
  for (auto create : {createTileVerifyDivisions, createTileVerifyConvergence, createTileVerifyRings,
                      createTileVerifyProxies, createTileVerifyFirstSums, createTileVerifyBounds,
                      createTileVerifyAlignments, createTileVerifyRegisters, createTileVerifySharedMemory})
    kernel.addPass(create());
}

void tile::registerTileVerify() {
  PassPipelineRegistration<>("tile-verify", "holds a tile program to every rule of whole programs", addVerifyPasses);
}
