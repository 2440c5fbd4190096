// The numeric cases: every accepted op, on every dtype it takes, on shapes and values that find faults.
#pragma once

#include <kiln/Ops.h>

#include <functional>
#include <string>
#include <vector>

namespace kiln::numeric {

/// One graph to check, on every flavour of inputs unless `tame`: then on normal ones only.
struct OpCase {
  std::string name; ///< "addf f32[33]"
  std::function<void(Graph &)> build;
  bool tame = false;
};

/// The families; each returns its cases in full.
std::vector<OpCase> elementwiseCases();
std::vector<OpCase> broadcastCases();
std::vector<OpCase> moveCases();
std::vector<OpCase> reduceCases();
std::vector<OpCase> compositeCases();
std::vector<OpCase> matmulCases();
std::vector<OpCase> programCases();

} // namespace kiln::numeric
