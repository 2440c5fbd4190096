// Random graphs that mean something: shapes and dtypes fit, magnitudes stay where f32 has digits, views and broadcasts
// lie between everything. A graph is a pure function of its seed.
#pragma once

#include <kiln/Ops.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln::fuzz {

struct RandomGraphOptions {
  int minOps = 5, maxOps = 40; ///< draws of an op; one may become several nodes (a broadcast, a cast on the way)
  int64_t maxElements = 6000;  ///< of any tensor
  bool anchored = false;       ///< demand at least one matmul or reduction
};

struct RandomGraph {
  Graph graph;
  int ops = 0;                     ///< drawn
  std::map<std::string, int> used; ///< how often each row of the generator was drawn, and each dtype made
  bool anchored = false;           ///< holds a matmul or a reduction
};

RandomGraph makeRandomGraph(uint64_t seed, const RandomGraphOptions &options = {});

} // namespace kiln::fuzz
