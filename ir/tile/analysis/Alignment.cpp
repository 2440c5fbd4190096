#include "ir/tile/analysis/Alignment.h"

#include "ir/tile/Arguments.h"
#include "ir/tile/Rules.h"
#include "kiln/Error.h"
#include "runtime/Expr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>
#include <set>

namespace kiln::tile {

using namespace mlir;

Alignment::Alignment(KernelOp kernel) : kernel(kernel) {
  unify();
  countIterations();
  learnExtents();
}

Divisor Alignment::divisorOf(Value value, Operation *user) {
  // Where each of its numbers is 0 or 1 (times what divides it), a product is that of its factors, once each.
  std::map<std::set<const void *>, int64_t> reduced;
  Divisor divisor{0};
  bool isAny = !mayBeLeftOut(user); // a branch may ask first whether it is one
  IndexPolynomial polynomial = polynomials.of(value);
  for (const auto &[product, coefficient] : polynomial.terms()) {
    int64_t scaled = coefficient;
    for (const void *pointer : product) {
      Factor factor = factorOf(Value::getFromOpaquePointer(pointer), user);
      isAny &= factor.isAny;
      if (llvm::MulOverflow(scaled, factor.divisor, scaled)) return {};
    }
    divisor.known = std::gcd(divisor.known, scaled);
    int64_t &sum = reduced[{product.begin(), product.end()}];
    isAny &= !llvm::AddOverflow(sum, scaled, sum);
  }
  if (!isAny) return divisor;
  divisor.largest = 0;
  for (const auto &[factors, coefficient] : reduced) divisor.largest = std::gcd(*divisor.largest, coefficient);
  return divisor;
}

/// What has no operands, such as an extent, is the same wherever it is asked for.
void Alignment::unify() {
  std::map<std::pair<const void *, const void *>, Value> first;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ExtentOp, CtaIdOp, CtaCountOp, WarpIdOp, ClusterRankOp>(op)) return;
    std::pair key(op->getName().getAsOpaquePointer(), op->getAttrDictionary().getAsOpaquePointer());
    auto [known, isNew] = first.try_emplace(key, op->getResult(0));
    if (!isNew) polynomials.set(op->getResult(0), IndexPolynomial::of(known->second));
  });
}

/// A loop's variable is its lower bound and steps, as many as the iteration's number.
void Alignment::countIterations() {
  kernel.getBody().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    Value variable = loop.getInductionVar();
    std::optional<IndexPolynomial> steps = polynomials.of(loop.getStep()).times(IndexPolynomial::of(variable));
    auto polynomial = steps ? polynomials.of(loop.getLowerBound()).plus(*steps) : std::nullopt;
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (!polynomial || (trips && trips->ult(2))) return;
    iterations.insert(variable);
    polynomials.set(variable, *polynomial);
  });
}

/// What a launch checks of extents: as far as rows go, which have the last of an argument's without strides, they are
/// multiples of what the argument says, and of 16 bytes where tensor maps copy it. An extent that no row has, or of
/// which a tensor map is made in another way, is nobody's to say.
void Alignment::learnExtents() {
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto aligned = kernel.getArgAttrOfType<IntegerAttr>(i, kAligned);
    if (std::optional<StringRef> row = rowOf(i)) multiply(*row, aligned ? aligned.getInt() : 1);
  }
  for (const KernelArgument &argument : argumentsOf(kernel)) {
    if (argument.kind != KernelArgument::Kind::Map) continue;
    for (const std::string &extent : argument.map.view)
      for (const std::string &name : Expr::parse(extent).extents()) unsure.insert(name);
    auto memory = cast<GlobalType>(kernel.getArgumentTypes()[argument.argument]);
    std::optional<StringRef> row = argument.map.view.empty() ? rowOf(argument.argument) : std::nullopt;
    if (row) multiply(*row, std::max<int64_t>(16 / bytesOf(memory.getElementType()), 1));
  }
}

/// The extent that an argument's rows have.
std::optional<StringRef> Alignment::rowOf(size_t argument) {
  auto memory = dyn_cast<GlobalType>(kernel.getArgumentTypes()[argument]);
  auto names = dimsOf(kernel, static_cast<unsigned>(argument));
  bool isRow = memory && memory.getStrides().empty() && memory.getShape().size() >= 2 && !names.empty();
  return isRow ? std::optional(names.back()) : std::nullopt;
}

void Alignment::multiply(StringRef extent, int64_t factor) {
  int64_t &divisor = extents.try_emplace(extent, 1).first->second;
  divisor = std::lcm(divisor, factor);
  if (divisor <= INT32_MAX) return;
  divisor = 1;
  unsure.insert(extent);
}

Alignment::Factor Alignment::factorOf(Value value, Operation *user) {
  constexpr int64_t kWarp = 32;
  if (iterations.contains(value)) return {1, true};
  Operation *op = value.getDefiningOp();
  if (!op) { // the number of one of several consumers
    auto roles = dyn_cast<SpecializeOp>(value.getParentBlock()->getParentOp());
    return {1, roles && roles.getConsumers() > 1};
  }
  if (auto extent = dyn_cast<ExtentOp>(op)) return factorOf(extent);
  if (isa<CtaIdOp>(op)) return {1, hasAnyGrid()};
  if (auto tile = dyn_cast<RasterizeOp>(op))
    return {1, !constantOf(value == tile.getRow() ? tile.getRows() : tile.getColumns())};
  if (isa<WarpIdOp>(op)) return {1, threadsAround(op) > kWarp && !producerAround(user)};
  if (isa<CtaCountOp>(op)) return {1, kernel.getGridOf() == "sms" && kernel.getCluster().value_or(1) == 1};
  return {knownOf(op, user), false};
}

int64_t Alignment::knownOf(Operation *op, Operation *user) {
  bool isCast = isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op);
  bool isOneOf = isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp, arith::SelectOp>(op);
  if (!isCast && !isOneOf) return 1;
  if (auto known = divisors.find(op->getResult(0)); known != divisors.end()) return known->second;
  int64_t divisor = 0;
  for (Value operand : op->getOperands().take_back(isCast ? 1 : 2))
    divisor = std::gcd(divisor, divisorOf(operand, user).known);
  return divisors[op->getResult(0)] = divisor;
}

Alignment::Factor Alignment::factorOf(ExtentOp extent) {
  StringRef name = extent.getDim();
  if (std::optional<int64_t> known = knownExtent(kernel, name)) return {*known, false};
  return {extents.contains(name) ? extents.lookup(name) : 1, extents.contains(name) && !unsure.contains(name)};
}

/// Whether launches may have any number of CTAs.
bool Alignment::hasAnyGrid() {
  if (!kernel.getGridOf()) return false;
  constexpr int64_t kLarge = 1536;
  try {
    Expr grid = Expr::parse(kernel.getGridOf()->str());
    Bindings large;
    for (const std::string &name : grid.extents()) large[name] = knownExtent(kernel, name).value_or(kLarge);
    auto isFree = [&](const std::string &name) { return name == "sms" || !knownExtent(kernel, name); };
    return llvm::any_of(grid.extents(), isFree) && grid.evaluate(large) > 1;
  } catch (const Error &) {
    return false;
  }
}

} // namespace kiln::tile
