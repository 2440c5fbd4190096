// tile.kernel: its syntax, and constraints on what it declares.
#include "ir/tile/Arguments.h"
#include "ir/tile/Rules.h"
#include "kiln/Error.h"
#include "runtime/Expr.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln::tile;

//===- Syntax -----------------------------------------------------------------------------------------------------===//

/// `grid 16` or `grid "min(sms, M)"`.
static ParseResult parseGrid(OpAsmParser &parser, OperationState &result) {
  Builder &b = parser.getBuilder();
  std::string expression;
  if (parser.parseKeyword("grid")) return failure();
  if (succeeded(parser.parseOptionalString(&expression))) {
    result.addAttribute(KernelOp::getGridOfAttrName(result.name), b.getStringAttr(expression));
    return success();
  }
  int64_t grid = 0;
  if (parser.parseInteger(grid)) return failure();
  result.addAttribute(KernelOp::getGridAttrName(result.name), b.getI64IntegerAttr(grid));
  return success();
}

static ParseResult parseCount(OpAsmParser &parser, OperationState &result, StringRef keyword, StringAttr name) {
  int64_t count = 0;
  if (failed(parser.parseOptionalKeyword(keyword))) return success();
  if (parser.parseInteger(count)) return failure();
  result.addAttribute(name, parser.getBuilder().getI64IntegerAttr(count));
  return success();
}

// tile.kernel @name(%x: !tile.global<…> {tile.dims = […]}, …) grid N cluster C threads T attributes {…} { … }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name), result.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren, /*allowType=*/true, /*allowAttrs=*/true) ||
      parseGrid(parser, result) || parseCount(parser, result, "cluster", getClusterAttrName(result.name)) ||
      parseCount(parser, result, "threads", getThreadsAttrName(result.name)) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types;
  for (auto &argument : arguments) types.push_back(argument.type);
  Builder &b = parser.getBuilder();
  result.addAttribute(getFunctionTypeAttrName(result.name), TypeAttr::get(b.getFunctionType(types, {})));
  call_interface_impl::addArgAndResultAttrs(b, result, arguments, {}, getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << '(';
  llvm::interleaveComma(getBody().getArguments(), p, [&](BlockArgument argument) {
    p.printRegionArgument(argument, getArgAttrs() ? getArgAttrDict(argument.getArgNumber()).getValue()
                                                  : ArrayRef<NamedAttribute>());
  });
  p << ") grid ";
  if (getGridOf())
    p.printAttribute(getGridOfAttr());
  else
    p << static_cast<int64_t>(getGrid().value_or(0));
  if (getCluster()) p << " cluster " << static_cast<int64_t>(*getCluster());
  if (getThreads()) p << " threads " << static_cast<int64_t>(*getThreads());
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {getSymNameAttrName(), getFunctionTypeAttrName(), getGridAttrName(), getGridOfAttrName(),
                            getClusterAttrName(), getThreadsAttrName(), getArgAttrsAttrName(), getResAttrsAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===- What it declares -------------------------------------------------------------------------------------------===//

SmallVector<StringRef> kiln::tile::dimsOf(KernelOp kernel, unsigned argument) {
  SmallVector<StringRef> names;
  if (auto dims = kernel.getArgAttrOfType<ArrayAttr>(argument, kDims))
    for (Attribute name : dims)
      if (auto text = dyn_cast<StringAttr>(name)) names.push_back(text.getValue());
  return names;
}

/// (C1): memory, then numbers.
static LogicalResult checkArguments(KernelOp kernel) {
  bool scalars = false;
  for (Type type : kernel.getArgumentTypes()) {
    bool isMemory = isa<GlobalType>(type), isScalar = type.isIntOrIndexOrFloat();
    if (!isMemory && !isScalar)
      return violate(kernel,
                     {"C1", "arguments must be global memory, then scalars", "!tile.global, or a number", spell(type)});
    if (isMemory && scalars)
      return violate(kernel,
                     {"C1", "arguments must be global memory, then scalars", "no memory behind a scalar", spell(type)});
    scalars |= isScalar;
  }
  return success();
}

/// (C6): names are one per dimension, and dynamic dimensions have them.
static LogicalResult checkDims(KernelOp kernel) {
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    Attribute attr = kernel.getArgAttr(i, kDims);
    auto memory = dyn_cast<GlobalType>(type);
    bool dynamic = memory && llvm::is_contained(memory.getShape(), ShapedType::kDynamic);
    if (!attr && !dynamic) continue;
    std::string expected = memory ? fmt::format("{} names", memory.getShape().size()) : "none on a scalar";
    auto rule = [&](std::string found) {
      return violate(kernel, {"C6", fmt::format("the dimensions of argument {} must have names", i), expected, found,
                              fmt::format("`{{{} = [\"M\", \"K\"]}}`", kDims.str())});
    };
    if (!attr) return rule("none on " + spell(type));
    auto array = dyn_cast<ArrayAttr>(attr);
    bool named = array && llvm::all_of(array, [](Attribute name) {
                   auto text = dyn_cast<StringAttr>(name);
                   return text && !text.empty();
                 });
    if (!memory || !named || array.size() != memory.getShape().size())
      return rule(llvm::formatv("{0} on {1}", attr, type).str());
  }
  return success();
}

/// (C6): what types tell of extents of one name is one number.
static LogicalResult checkNames(KernelOp kernel) {
  llvm::StringMap<int64_t> extents;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto memory = dyn_cast<GlobalType>(type);
    if (!memory) continue;
    for (auto [name, extent] : llvm::zip(dimsOf(kernel, i), memory.getShape())) {
      if (ShapedType::isDynamic(extent)) continue;
      auto [known, isNew] = extents.try_emplace(name, extent);
      if (!isNew && known->second != extent)
        return violate(kernel, {"C6", fmt::format("extents of one name, {}, are equal", name.str()),
                                std::to_string(known->second), fmt::format("{} in argument {}", extent, i)});
    }
  }
  return success();
}

/// (C8): what rows start at multiples of.
static LogicalResult checkAligned(KernelOp kernel) {
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    Attribute attr = kernel.getArgAttr(i, kAligned);
    auto aligned = dyn_cast_or_null<IntegerAttr>(attr);
    if (!attr || (aligned && isa<GlobalType>(type) && aligned.getType().isIntOrIndex() &&
                  aligned.getValue().isStrictlyPositive() && aligned.getValue().isIntN(31)))
      continue;
    return violate(kernel, {"C8", fmt::format("`{}` of argument {} must count elements", kAligned.str(), i),
                            "an integer of at least 1 on memory", llvm::formatv("{0} on {1}", attr, type)});
  }
  return success();
}

/// (C9): which of a kernel's tensors arguments are.
static LogicalResult checkTensors(KernelOp kernel) {
  unsigned memories = llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<GlobalType>), named = 0;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    Attribute attr = kernel.getArgAttr(i, kTensor);
    auto number = dyn_cast_or_null<IntegerAttr>(attr);
    if (attr && !(number && i < memories && number.getType().isIntOrIndex() && number.getValue().isNonNegative() &&
                  number.getValue().isIntN(31)))
      return violate(kernel, {"C9", fmt::format("`{}` of argument {} must count tensors", kTensor.str(), i),
                              "an integer of at least 0 on memory", llvm::formatv("{0}", attr)});
    named += attr != nullptr;
  }
  if (named == 0 || named == memories) return success();
  return violate(kernel, {"C9", fmt::format("`{}` must stand on all memory or none", kTensor.str()),
                          fmt::format("{} arguments with it", memories), std::to_string(named)});
}

/// (C10): which extents there are launches of.
static LogicalResult checkRanges(KernelOp kernel) {
  Attribute attr = kernel->getAttr(kRanges);
  auto ranges = dyn_cast_or_null<DictionaryAttr>(attr);
  auto isRange = [&](NamedAttribute range) {
    auto ends = dyn_cast<ArrayAttr>(range.getValue());
    auto isCount = [](Attribute end) {
      auto number = dyn_cast<IntegerAttr>(end);
      return number && number.getType().isSignlessInteger(64) && number.getInt() >= 0;
    };
    return extentNames(kernel).contains(range.getName()) && ends && ends.size() == 2 && llvm::all_of(ends, isCount) &&
           cast<IntegerAttr>(ends[0]).getInt() <= cast<IntegerAttr>(ends[1]).getInt();
  };
  if (!attr || (ranges && llvm::all_of(ranges, isRange))) return success();
  return violate(kernel, {"C10", fmt::format("`{}` are of extents that there are", kRanges.str()),
                          fmt::format("[least, most] from 0 of {}", llvm::join(extentNames(kernel), ", ")),
                          llvm::formatv("{0}", attr), "`{K = [64, 1024]}`"});
}

/// (C3): how many CTAs there are.
static LogicalResult checkGrid(KernelOp kernel) {
  auto cluster = static_cast<int64_t>(kernel.getCluster().value_or(1));
  if (!kernel.getGridOf()) {
    if (!kernel.getGrid()) return violate(kernel, {"C3", "there must be a grid", "a count or an expression", "none"});
    auto grid = static_cast<int64_t>(*kernel.getGrid());
    if (grid < 0)
      return violate(kernel, {"C3", "the grid must not be negative", "0 or more CTAs", std::to_string(grid)});
    if (grid % cluster == 0) return success();
    return violate(kernel, {"C3", "the grid must be whole clusters", fmt::format("a multiple of {}", cluster),
                            std::to_string(grid)});
  }
  if (kernel.getGrid()) return violate(kernel, {"C3", "there must be one grid", "a count or an expression", "both"});
  llvm::SetVector<StringRef> names = extentNames(kernel);
  names.insert("sms");
  try {
    for (const std::string &name : kiln::Expr::parse(kernel.getGridOf()->str()).extents())
      if (!names.contains(name)) {
        SmallVector<StringRef> known = names.takeVector();
        llvm::sort(known);
        return violate(kernel, {"C3", "the grid must be of names that there are", llvm::join(known, ", "), name});
      }
  } catch (const kiln::Error &error) {
    return violate(kernel, {"C3", "the grid must be a number or an expression", "such as ceildiv(M, 128) * N",
                            error.found.empty() ? kernel.getGridOf()->str() : error.found});
  }
  return success();
}

/// (C7).
static LogicalResult checkCluster(KernelOp kernel) {
  if (!kernel.getCluster()) return success();
  auto cluster = static_cast<int64_t>(*kernel.getCluster());
  if (cluster < 1 || cluster > 8)
    return violate(kernel, {"C7", "a cluster is a few CTAs", "1 to 8", std::to_string(cluster)});
  if (kernel.getThreads()) return success();
  return violate(kernel, {"C7", "CTAs of one thread of execution form no cluster", "`threads` on the kernel", "none"});
}

LogicalResult KernelOp::verify() {
  if (failed(checkArguments(*this))) return failure();
  if (!getResultTypes().empty())
    return violate(*this, {"C2", "nothing may be returned", "no result types",
                           fmt::format("{}", getResultTypes().size()), "an argument for each result"});
  if (int64_t threads = getThreads().value_or(32); threads < 32 || threads > 1024 || threads % 32 != 0)
    return violate(*this,
                   {"C4", "threads must be whole warps", "a multiple of 32 up to 1024", std::to_string(threads)});
  if (failed(checkCluster(*this)) || failed(checkDims(*this)) || failed(checkNames(*this)) ||
      failed(checkAligned(*this)) || failed(checkTensors(*this)) || failed(checkRanges(*this)))
    return failure();
  return checkGrid(*this);
}

//===- Threads ----------------------------------------------------------------------------------------------------===//

int64_t kiln::tile::threadsAround(Operation *op) {
  constexpr int64_t kWarpgroup = 128;
  if (op->getParentOfType<SpecializeOp>()) return kWarpgroup;
  auto kernel = op->getParentOfType<KernelOp>();
  return kernel ? static_cast<int64_t>(kernel.getThreads().value_or(0)) : 0;
}

/// (C5) for one type of an op in a kernel, or a role of it, of `threads` threads, 0 on the cpu target.
static LogicalResult checkThreads(Operation *op, Type type, int64_t threads) {
  if (auto pending = dyn_cast<PendingType>(type)) type = pending.getFragment();
  if (!isFragment(type)) return success();
  auto distribution = distributionOf(type);
  int64_t wanted = distribution ? distribution->threads() : 0;
  bool ofWarp = distribution && distribution->kind == kiln::layout::FragmentKind::Blocked && wanted == 32;
  if (wanted == threads || (ofWarp && threads)) return success();
  // Constants are nobody's: passes move those of a role to the kernel's own block.
  if (wanted && threads && op->hasTrait<OpTrait::ConstantLike>()) return success();
  bool inRole = op->getParentOfType<SpecializeOp>() != nullptr;
  return kiln::ir::violate(
      op->getLoc(), "tile.kernel",
      {"C5", inRole ? "a fragment must fit the role's warpgroup" : "a fragment must fit the kernel's threads",
       threads ? fmt::format("a fragment of {} threads", threads) : "a fragment of one thread", spell(type)});
}

/// Ops that need threads though none of their results says so.
static bool needsThreads(Operation *op) {
  return isa<WarpIdOp, BarrierOp, AsyncCopyOp, FillOp, RingWaitOp, RingReleaseOp, TmaStoreOp, TmaStoreWaitOp,
             BulkStoreOp, StoreMatrixOp, AsyncLoadOp, SpecializeOp, ClusterRankOp, ClusterBarrierOp, GridWaitOp,
             GridReleaseOp, ProxyFenceOp>(op);
}

LogicalResult KernelOp::verifyRegions() {
  WalkResult result = getBody().walk([&](Operation *op) {
    int64_t threads = threadsAround(op);
    if (needsThreads(op) && !threads) {
      (void)kiln::ir::violate(op->getLoc(), "tile.kernel",
                              {"C5", "a kernel of one thread has no warps", "`threads` on the kernel", "none"});
      return WalkResult::interrupt();
    }
    for (Type type : op->getResultTypes())
      if (failed(checkThreads(op, type, threads))) return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
