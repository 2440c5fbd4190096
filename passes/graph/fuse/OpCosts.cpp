#include "passes/graph/fuse/OpCosts.h"

#include "ir/graph/AcceptedOps.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace kiln::graph {
namespace {
struct Row {
  StringRef op;
  OpCost cost;
};
/// Weights are the lengths of the cpu's expansions, rounded.
const Row kRows[] = {
    {"arith.divf", {4, true}},   {"arith.divsi", {8, true}},     {"arith.remsi", {8, true}},
    {"math.sqrt", {4, true}},    {"math.rsqrt", {8, true}},      {"math.exp", {16, true}},
    {"math.log", {20, true}},    {"math.sin", {30, true}},       {"math.cos", {30, true}},
    {"math.tanh", {24, true}},   {"math.erf", {24, true}},       {"graph.sigmoid", {20, true}},
    {"graph.gelu", {40, true}},  {"graph.gather", {4, false}},   {"graph.concat", {1, false}},
    {"graph.matmul", {1, true}}, {"arith.constant", {0, false}},
};
} // namespace

OpCost costOf(Operation *op) {
  static const llvm::StringMap<OpCost> costs = [] {
    llvm::StringMap<OpCost> map;
    for (const AcceptedOp &row : acceptedOps()) map[row.name] = {row.opClass == OpClass::View ? 0u : 1u, false};
    for (const Row &row : kRows) map[row.op] = row.cost;
    return map;
  }();
  return costs.lookup(op->getName().getStringRef());
}

} // namespace kiln::graph
