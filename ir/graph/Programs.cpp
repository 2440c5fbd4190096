// Tile programs as graphs see them, and the rules of graph.custom_kernel.
#include "ir/graph/Programs.h"

#include "ir/layout/IndexMap.h"
#include "ir/tile/Arguments.h"

#include "mlir/IR/Builders.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::graph;
using ir::spell;

static constexpr StringRef kSubject = "graph.custom_kernel";

/// "M = 64": a dimension of a tensor, by its name if it has one.
static std::string dimText(const ProgramTensor &tensor, size_t d) {
  return tensor.dims.empty() || tensor.dims[d].empty() ? fmt::format("dimension {}", d) : tensor.dims[d].str();
}

bool kiln::graph::isWritten(BlockArgument argument) {
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(use.getOwner());
    return effects && effects.getEffectOnValue<MemoryEffects::Write>(use.get()).has_value();
  });
}

bool Program::isForGpu() const { return const_cast<tile::KernelOp &>(op).getThreads().has_value(); }

static std::string nameOf(tile::KernelOp op, unsigned argument) {
  auto name = op.getArgAttrOfType<StringAttr>(argument, "tile.name");
  return name ? name.str() : fmt::format("arg{}", argument);
}

static ProgramTensor tensorOf(tile::KernelOp op, BlockArgument argument) {
  unsigned i = argument.getArgNumber();
  ProgramTensor tensor{nameOf(op, i), cast<tile::GlobalType>(argument.getType()), {}};
  if (auto aligned = op.getArgAttrOfType<IntegerAttr>(i, "tile.aligned")) tensor.aligned = aligned.getInt();
  if (auto dims = op.getArgAttrOfType<ArrayAttr>(i, "tile.dims"))
    for (Attribute dim : dims) tensor.dims.push_back(isa<StringAttr>(dim) ? cast<StringAttr>(dim).getValue() : "");
  return tensor;
}

FailureOr<Program> kiln::graph::programOf(tile::KernelOp op, Location loc) {
  Program program{op};
  bool results = false;
  for (BlockArgument argument : op.getBody().getArguments()) {
    if (!isa<tile::GlobalType>(argument.getType())) {
      program.scalars.push_back({nameOf(op, argument.getArgNumber()), argument.getType()});
      continue;
    }
    bool written = isWritten(argument);
    program.tensors.push_back(tensorOf(op, argument));
    if (results && !written)
      return violate(
          loc, kSubject,
          {"C1", "what a tile program only reads comes before what it writes", "the results last",
           fmt::format("@{}, which only reads `{}` behind them", op.getSymName().str(), program.tensors.back().name)});
    results |= written;
    program.numInputs += !written;
  }
  return program;
}

tile::KernelOp kiln::graph::findProgram(Operation *from, FlatSymbolRefAttr symbol) {
  return SymbolTable::lookupNearestSymbolFrom<tile::KernelOp>(from, symbol);
}

//===- Binding ----------------------------------------------------------------------------------------------------===//

namespace {
/// Binds what tensors' shapes name, one tensor after the other.
class Binder {
public:
  Binder(const Program &program, Location loc) : program(program), loc(loc) {}

  LogicalResult add(size_t i, RankedTensorType type) {
    const ProgramTensor &tensor = program.tensors[i];
    if (type.getElementType() != tensor.type.getElementType())
      return refuse(i, "C3", "element types are the program's", spell(tensor.type.getElementType()),
                    spell(type.getElementType()));
    if (type.getRank() != static_cast<int64_t>(tensor.type.getShape().size()))
      return refuse(i, "C4", "ranks are the program's", std::to_string(tensor.type.getShape().size()),
                    std::to_string(type.getRank()));
    for (auto [d, extent] : llvm::enumerate(type.getShape()))
      if (failed(bind(i, d, extent))) return failure();
    return checkStrides(i, type);
  }

  Bindings bound;

private:
  const Program &program;
  Location loc;
  std::map<std::string, std::string, std::less<>> boundBy; ///< name -> tensor

  LogicalResult refuse(size_t i, StringRef rule, const std::string &text, const std::string &expected,
                       const std::string &found) {
    bool input = i < program.numInputs;
    return violate(
        loc, kSubject,
        {rule,
         fmt::format("{} {} (`{}` of @{}): {}", input ? "operand" : "result", input ? i : i - program.numInputs,
                     program.tensors[i].name, tile::KernelOp(program.op).getSymName().str(), text),
         expected, found});
  }

  LogicalResult bind(size_t i, size_t d, int64_t extent) {
    const ProgramTensor &tensor = program.tensors[i];
    int64_t wanted = tensor.type.getShape()[d];
    if (!ShapedType::isDynamic(wanted) && wanted != extent)
      return refuse(i, "C4", "static extents are the program's", fmt::format("{} = {}", dimText(tensor, d), wanted),
                    std::to_string(extent));
    if (d >= tensor.dims.size() || tensor.dims[d].empty()) return success();
    auto [known, isNew] = bound.emplace(tensor.dims[d].str(), extent);
    if (isNew) boundBy[tensor.dims[d].str()] = tensor.name;
    auto [least, most] = tile::rangeOfExtent(program.op, tensor.dims[d]);
    if (program.op->hasAttr(tile::kRanges) && (extent < least || extent > most))
      return refuse(i, "C4", "extents are in the ranges that the program declares",
                    fmt::format("{} in [{}, {}]", dimText(tensor, d), least, most), std::to_string(extent));
    if (known->second == extent) return success();
    return refuse(i, "C4", "extents of one name are equal",
                  fmt::format("{} = {}, as of `{}`", dimText(tensor, d), known->second, boundBy[known->first]),
                  std::to_string(extent));
  }

  LogicalResult checkStrides(size_t i, RankedTensorType type) {
    const ProgramTensor &tensor = program.tensors[i];
    SmallVector<int64_t> dense = layout::rowMajorStrides(type.getShape());
    for (auto [d, stride] : llvm::enumerate(tensor.type.getStrides()))
      if (!ShapedType::isDynamic(stride) && stride != dense[d] && type.getNumElements() > 0)
        return refuse(i, "C5", "a graph's tensors are dense",
                      fmt::format("a stride of {} in dimension {}", dense[d], d), std::to_string(stride));
    if (type.getRank() > 1 && tensor.aligned > 1 && type.getShape().back() % tensor.aligned != 0)
      return refuse(i, "C5", "rows start where the program needs them",
                    fmt::format("rows of a multiple of {} elements", tensor.aligned),
                    fmt::format("rows of {}", type.getShape().back()));
    return success();
  }
};
} // namespace

FailureOr<Bindings> kiln::graph::bindExtents(const Program &program, TypeRange types, Location loc) {
  Binder binder(program, loc);
  for (auto [i, type] : llvm::enumerate(types))
    if (failed(binder.add(i, cast<RankedTensorType>(type)))) return failure();
  return std::move(binder.bound);
}

FailureOr<SmallVector<Type>> kiln::graph::resultTypes(const Program &program, const Bindings &extents, Location loc) {
  SmallVector<Type> types;
  for (const ProgramTensor &tensor : ArrayRef(program.tensors).drop_front(program.numInputs)) {
    SmallVector<int64_t> shape(tensor.type.getShape());
    for (auto [d, extent] : llvm::enumerate(shape)) {
      if (!ShapedType::isDynamic(extent)) continue;
      auto bound = d < tensor.dims.size() ? extents.find(tensor.dims[d]) : extents.end();
      if (bound == extents.end())
        return violate(loc, kSubject,
                       {"C4", fmt::format("every extent of result `{}` is known", tensor.name),
                        fmt::format("a value of {}", dimText(tensor, d)), "no operand has that extent"});
      extent = bound->second;
    }
    types.push_back(RankedTensorType::get(shape, tensor.type.getElementType()));
  }
  return types;
}

//===- graph.custom_kernel ----------------------------------------------------------------------------------------===//

static LogicalResult checkScalars(CustomKernelOp op, const Program &program) {
  SmallVector<Attribute> given;
  if (op.getScalars()) given.assign(op.getScalars()->begin(), op.getScalars()->end());
  auto list = [](auto range) { return range.empty() ? std::string("none") : llvm::join(range, ", "); };
  auto typeOf = [](Attribute a) { return isa<TypedAttr>(a) ? spell(cast<TypedAttr>(a).getType()) : "no number"; };
  std::vector<std::string> expected, found;
  for (const ProgramScalar &scalar : program.scalars) expected.push_back(spell(scalar.type));
  for (Attribute scalar : given) found.push_back(typeOf(scalar));
  bool numbers = llvm::all_of(given, [](Attribute a) { return isa<IntegerAttr, FloatAttr>(a); });
  if (expected == found && numbers) return success();
  return violate(op.getLoc(), kSubject,
                 {"C6", "there is a number for each scalar argument", list(expected), list(found)});
}

LogicalResult kiln::graph::verifyCall(CustomKernelOp op) {
  tile::KernelOp kernel = findProgram(op, op.getProgramAttr());
  if (!kernel)
    return violate(op.getLoc(), kSubject,
                   {"C1", "the symbol is a tile program of the module", "a tile.kernel",
                    fmt::format("no tile.kernel @{}", op.getProgram().str())});
  FailureOr<Program> program = programOf(kernel, op.getLoc());
  if (failed(program)) return failure();
  size_t results = program->tensors.size() - program->numInputs;
  if (op.getInputs().size() != program->numInputs || op.getNumResults() != results)
    return violate(op.getLoc(), kSubject,
                   {"C2", "operands are the arguments that are read, results those that are written",
                    fmt::format("{} operands, {} results", program->numInputs, results),
                    fmt::format("{} operands, {} results", op.getInputs().size(), op.getNumResults())});
  SmallVector<Type> types(op.getInputs().getTypes());
  llvm::append_range(types, op.getResultTypes());
  if (failed(bindExtents(*program, types, op.getLoc()))) return failure();
  return checkScalars(op, *program);
}

LogicalResult CustomKernelOp::verifySymbolUses(SymbolTableCollection &) { return verifyCall(*this); }

LogicalResult CustomKernelOp::verifyRegions() {
  Block *block = getReferenceBlock();
  if (!block) return success();
  if (block->getArgumentTypes() != getInputs().getTypes())
    return violate(
        getLoc(), kSubject,
        {"C7", "the reference takes the operands", spell(getInputs().getTypes()), spell(block->getArgumentTypes())});
  auto yield = block->empty() ? YieldOp() : dyn_cast<YieldOp>(block->back());
  if (!yield || yield.getValues().getTypes() != getResultTypes())
    return violate(getLoc(), kSubject,
                   {"C7", "the reference yields the results", spell(getResultTypes()),
                    yield ? spell(yield.getValues().getTypes()) : "no graph.yield"});
  return success();
}
