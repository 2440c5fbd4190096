#include "passes/cost/Ops.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace kiln::cost {
namespace {

struct Row {
  StringRef op;
  unsigned weight, halves; ///< of f32, integers and bool; of 16-bit floats
  bool expensive = false;
  unsigned flops = 0;
};

/// Weights of functions are the lengths of their expansions (passes/functions), rounded, with 8 for each 2^x or 1/x
/// that a GPU approximates and a cpu computes.
const Row kRows[] = {
    {"arith.addf", 1, 1, false, 1},
    {"arith.subf", 1, 1, false, 1},
    {"arith.mulf", 1, 1, false, 1},
    {"arith.divf", 4, 4, true, 1},
    {"arith.negf", 1, 1, false, 1},
    {"arith.maximumf", 1, 1, false, 1},
    {"arith.minimumf", 1, 1, false, 1},
    {"math.fma", 1, 1, false, 2},
    {"math.absf", 1, 1, false, 1},
    {"math.floor", 1, 1, false, 1},
    {"math.ceil", 1, 1, false, 1},
    {"math.sqrt", 4, 4, true, 1},
    {"math.rsqrt", 8, 6, true, 1},
    {"math.exp", 16, 11, true, 1},
    {"math.log", 20, 20, true, 1},
    {"math.sin", 30, 18, true, 1},
    {"math.cos", 30, 18, true, 1},
    {"math.tanh", 24, 24, true, 1},
    {"math.erf", 24, 12, true, 1},
    {"graph.sigmoid", 20, 20, true, 1},
    {"graph.gelu", 40, 30, true, 1},
    {"arith.addi", 1, 1},
    {"arith.subi", 1, 1},
    {"arith.muli", 1, 1},
    {"arith.divsi", 8, 8, true},
    {"arith.remsi", 8, 8, true},
    {"arith.maxsi", 1, 1},
    {"arith.minsi", 1, 1},
    {"arith.cmpf", 1, 1},
    {"arith.cmpi", 1, 1},
    {"arith.andi", 1, 1},
    {"arith.ori", 1, 1},
    {"arith.xori", 1, 1},
    {"arith.select", 1, 1},
    {"arith.sitofp", 1, 1},
    {"arith.uitofp", 1, 1},
    {"arith.extf", 1, 1},
    {"arith.truncf", 1, 1},
    {"arith.extui", 1, 1},
    {"arith.extsi", 1, 1},
    {"arith.trunci", 1, 1},
    {"arith.fptosi", 1, 1},
    {"arith.constant", 0, 0},
    {"graph.iota", 1, 1},
    {"graph.broadcast", 0, 0},
    {"graph.reshape", 0, 0},
    {"graph.transpose", 0, 0},
    {"graph.slice", 0, 0},
    {"graph.concat", 1, 1},
    {"graph.gather", 4, 4},
    {"graph.reduce", 1, 1, false, 1},
    {"graph.matmul", 1, 1, true},
    {"graph.custom_kernel", 1, 1},
};

const Row *findRow(StringRef op) {
  static const llvm::StringMap<const Row *> rows = [] {
    llvm::StringMap<const Row *> map;
    for (const Row &row : kRows) map[row.op] = &row;
    return map;
  }();
  return rows.lookup(op);
}

} // namespace

bool hasOpCost(StringRef op) { return findRow(op); }

OpCost costOf(Operation *op) {
  const Row *row = findRow(op->getName().getStringRef());
  if (!row) llvm::report_fatal_error(Twine("no row of costs for ") + op->getName().getStringRef());
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  bool isHalf = element.isF16() || element.isBF16();
  return {isHalf ? row->halves : row->weight, row->expensive, row->flops};
}

double bytesPerAddition(const Target &target) {
  if (const CpuTarget *cpu = target.cpu()) return cpu->bandwidth / (cpu->lanes() * cpu->clock);
  const GpuTarget &gpu = *target.gpu();
  double additions = gpu.fmaFlops / 2 * gpu.sms * gpu.clock;
  return gpu.bandwidth / additions;
}

} // namespace kiln::cost
