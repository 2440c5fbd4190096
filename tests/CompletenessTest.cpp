// Every op has its row in every room: this joins the accepted-ops table and the dialects with the interpreter's,
// decomposition's, tiling's, the functions' and codegen's tables, and says which row is missing. A made-up op of each
// kind shows that it would.

#include "codegen/cpu/Rows.h"
#include "codegen/gpu/Rows.h"
#include "ir/DTypes.h"
#include "ir/graph/AcceptedOps.h"
#include "ir/graph/Graph.h"
#include "ir/tile/Tile.h"
#include "passes/cost/Ops.h"
#include "passes/functions/Functions.h"
#include "passes/graph/Decompose.h"
#include "passes/interp/Rows.h"
#include "passes/kernel/Family.h"
#include "passes/tiling/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/MLIRContext.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

using namespace mlir;
using namespace kiln;
using graph::AcceptedOp;
using graph::OpClass;
using graph::OpLevel;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return (std::ostringstream() << file.rdbuf()).str();
}

/// Ops with a summary, from the documentation generated of a dialect: a heading, then the summary in a line of its own.
std::set<std::string> documentedOps(const std::string &page) {
  static const std::regex heading("### `([a-z_.]+)` \\([^\n]*\\)\n\n_[^\n]+_\n");
  std::string text = readFile(page);
  std::set<std::string> ops;
  for (std::sregex_iterator it(text.begin(), text.end(), heading), end; it != end; ++it) ops.insert((*it)[1]);
  return ops;
}

/// What the columns ask.
struct Rooms {
  DialectRegistry registry;
  MLIRContext context;
  std::set<std::string> documented, interpreted, decomposed;
  std::string roundTrips;

  Rooms() {
    registry
        .insert<graph::GraphDialect, tile::TileDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    documented = documentedOps(KILN_BUILD_DIR "/ir/graph/Graph.md");
    documented.merge(documentedOps(KILN_BUILD_DIR "/ir/tile/Tile.md"));
    for (const interp::InterpRow &row : interp::interpRows())
      if (!row.bound.empty()) interpreted.insert(row.op.str());
    for (const graph::DecomposeRow &row : graph::decomposeRows()) decomposed.insert(row.op.str());
    for (const char *file : {"graph/round-trip.mlir", "tile/round-trip.mlir", "tile/cta-round-trip.mlir",
                             "tile/hopper-round-trip.mlir", "tile/abbreviations-round-trip.mlir"})
      roundTrips += readFile(std::string(KILN_SOURCE_DIR "/tests/ir/") + file);
  }

  /// Written in a round-trip test as an op, not only as a part of a longer name.
  bool roundTripped(StringRef op) const {
    return std::regex_search(roundTrips, std::regex("(^|[^a-z_.%@])" + op.str() + "($|[^a-z_.])"));
  }
};

Rooms &rooms() {
  static Rooms all;
  return all;
}

/// Expanded for every dtype that it has after decomposition.
bool hasFunction(const AcceptedOp &op) {
  return llvm::all_of(graph::elementRows(), [&](const graph::ElementRow &element) {
    if (!(op.resultsAt(OpLevel::Decomposed) & element.bit)) return true;
    Type type = ir::elementType(*parseDType(std::string_view(element.name)), &rooms().context);
    return functions::findFunction(op.name, type) != nullptr;
  });
}

/// On every target.
bool hasFamily(graph::KernelKind kind) {
  return llvm::all_of(targetNames(), [&](const std::string &name) {
    return llvm::any_of(tiling::familiesOf(*findTarget(name)), [&](auto *family) { return family->kind == kind; });
  });
}

/// On every kind of target.
bool hasLoweringRow(StringRef op) { return codegen::cpuRows().contains(op) && codegen::gpu::gpuRows().contains(op); }

/// How a kernel makes the op's value: a row of the emitter's, or a skeleton that is built around it.
bool isTiled(const AcceptedOp &op) {
  if (op.opClass == OpClass::Program) return true; // it is one
  if (op.opClass == OpClass::Matmul) return hasFamily(graph::KernelKind::Matmul);
  if (op.opClass == OpClass::Reduction)
    return hasFamily(graph::KernelKind::Row) && hasFamily(graph::KernelKind::Column);
  return tiling::findEmissionRow(op.name) != nullptr;
}

bool isOurs(StringRef op) { return op.starts_with("graph.") || op.starts_with("tile."); }
bool isComputed(const AcceptedOp &op) { return op.opClass != OpClass::Structure; }
bool survives(const AcceptedOp &op) { return isComputed(op) && op.level != OpLevel::Graph; }

/// One thing that ops need, and which of them.
struct Column {
  const char *what;
  bool (*demanded)(const AcceptedOp &);
  bool (*present)(const AcceptedOp &);
};

const Column kColumns[] = {
    {"registered op", [](const AcceptedOp &) { return true; },
     [](const AcceptedOp &op) { return RegisteredOperationName::lookup(op.name, &rooms().context).has_value(); }},
    {"summary", [](const AcceptedOp &) { return true; },
     [](const AcceptedOp &op) { return !op.summary.empty() || rooms().documented.contains(op.name.str()); }},
    {"interpreter row with a bound", isComputed,
     [](const AcceptedOp &op) { return rooms().interpreted.contains(op.name.str()); }},
    {"decomposition row", [](const AcceptedOp &op) { return op.level == OpLevel::Graph; },
     [](const AcceptedOp &op) { return rooms().decomposed.contains(op.name.str()); }},
    {"emission row or skeleton", survives, isTiled},
    {"row of costs", survives, [](const AcceptedOp &op) { return cost::hasOpCost(op.name); }},
    {"function row or lowering row",
     [](const AcceptedOp &op) { return survives(op) && op.opClass == OpClass::Elementwise; },
     [](const AcceptedOp &op) { return hasLoweringRow(op.name) || hasFunction(op); }},
    {"round trip", [](const AcceptedOp &op) { return isOurs(op.name); },
     [](const AcceptedOp &op) { return rooms().roundTripped(op.name); }},
};

/// "graph.relu: no summary" for everything that the ops need and do not have.
std::vector<std::string> missing(ArrayRef<AcceptedOp> ops) {
  std::vector<std::string> complaints;
  for (const AcceptedOp &op : ops)
    for (const Column &column : kColumns)
      if (column.demanded(op) && !column.present(op)) complaints.push_back(op.name.str() + ": no " + column.what);
  return complaints;
}

/// Ops that need threads or a special function unit, which a cpu's CTA has not: all of the files that say so.
const std::set<std::string> &threadedOps() {
  static const std::set<std::string> ops = [] {
    static const std::regex definition("Tile_[A-Za-z]*Op<\"([a-z_]+)\"");
    std::set<std::string> names{"tile.approx"};
    for (const char *file : {"Bulk", "Cta", "Fragments", "Ring", "Roles", "Wgmma"}) {
      std::string text = readFile(fmt::format("{}/ir/tile/{}.td", KILN_SOURCE_DIR, file));
      for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it)
        names.insert("tile." + (*it)[1].str());
    }
    return names;
  }();
  return ops;
}

/// The same for an op of the tile dialect.
std::vector<std::string> missingTileRows(StringRef op) {
  std::vector<std::string> complaints;
  if (!rooms().documented.contains(op.str())) complaints.push_back(op.str() + ": no summary");
  if (!rooms().roundTripped(op)) complaints.push_back(op.str() + ": no round trip");
  // These three are the frame: a function with a loop over CTAs.
  static const std::set<StringRef> frame = {"tile.kernel", "tile.cta_id", "tile.return"};
  // `tile-expand` spells these out.
  static const std::set<StringRef> abbreviations = {"tile.async_load",   "tile.fold_columns", "tile.index",
                                                    "tile.mask_columns", "tile.size",         "tile.unravel"};
  if (abbreviations.contains(op)) return complaints;
  if (!frame.contains(op) && !threadedOps().contains(op.str()) && !codegen::cpuRows().contains(op))
    complaints.push_back(op.str() + ": no cpu lowering row");
  if (op != "tile.kernel" && op != "tile.return" && !codegen::gpu::gpuRows().contains(op))
    complaints.push_back(op.str() + ": no gpu lowering row");
  return complaints;
}

std::vector<StringRef> registeredOps(StringRef dialect) {
  std::vector<StringRef> names;
  for (RegisteredOperationName name : rooms().context.getRegisteredOperations())
    if (name.getDialectNamespace() == dialect) names.push_back(name.getStringRef());
  return names;
}

using Complaints = std::vector<std::string>;

TEST(Completeness, EveryAcceptedOpHasItsRows) { EXPECT_EQ(missing(graph::acceptedOps()), Complaints{}); }

TEST(Completeness, EveryOpOfTheGraphDialectIsAccepted) {
  ASSERT_GT(registeredOps("graph").size(), 10U);
  for (StringRef op : registeredOps("graph")) EXPECT_NE(graph::findAcceptedOp(op), nullptr) << op.str();
}

TEST(Completeness, EveryOpOfTheTileDialectHasItsRows) {
  ASSERT_GT(registeredOps("tile").size(), 10U);
  for (StringRef op : registeredOps("tile")) EXPECT_EQ(missingTileRows(op), Complaints{});
}

TEST(Completeness, ARowForAnOpThatNoGraphHoldsIsReported) {
  for (const std::string &op : rooms().interpreted) EXPECT_NE(graph::findAcceptedOp(op), nullptr) << op;
  for (const std::string &op : rooms().decomposed) EXPECT_NE(graph::findAcceptedOp(op), nullptr) << op;
}

TEST(Completeness, AMadeUpOpIsReportedInEveryColumn) {
  auto op = [](OpClass opClass, OpLevel level) {
    return AcceptedOp{"graph.made_up", opClass, level, graph::kF32, graph::kF32, ""};
  };
  const std::string name = "graph.made_up: no ";
  EXPECT_EQ(missing(op(OpClass::Elementwise, OpLevel::Both)),
            (Complaints{name + "registered op", name + "summary", name + "interpreter row with a bound",
                        name + "emission row or skeleton", name + "row of costs", name + "function row or lowering row",
                        name + "round trip"}));
  EXPECT_EQ(missing(op(OpClass::Composite, OpLevel::Graph)),
            (Complaints{name + "registered op", name + "summary", name + "interpreter row with a bound",
                        name + "decomposition row", name + "round trip"}));
  EXPECT_EQ(missing(op(OpClass::View, OpLevel::Both)),
            (Complaints{name + "registered op", name + "summary", name + "interpreter row with a bound",
                        name + "emission row or skeleton", name + "row of costs", name + "round trip"}));
  EXPECT_EQ(missingTileRows("tile.made_up"),
            (Complaints{"tile.made_up: no summary", "tile.made_up: no round trip", "tile.made_up: no cpu lowering row",
                        "tile.made_up: no gpu lowering row"}));
}

} // namespace
