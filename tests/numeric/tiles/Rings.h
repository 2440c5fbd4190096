// The slot of a ring that an op names by its iteration.
#pragma once

#include "tests/numeric/tiles/Machine.h"

namespace kiln::numeric::tiles {

/// A slot of a ring with barriers. Stage and phase follow from the iteration, as the ops define it.
struct Slot {
  /// Throws Fault where warps do not agree on the iteration, or it is negative.
  Slot(Agent &m, mlir::Value ring, mlir::Value iteration);

  Ring &ring;
  int64_t iteration;
  size_t stage;
  int64_t phase; ///< how often the ring has been gone through
  MBarrier &full() { return ring.full[stage]; }
  MBarrier &empty() { return ring.empty[stage]; }
};

} // namespace kiln::numeric::tiles
