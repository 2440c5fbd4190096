#include "ir/tile/Arguments.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using namespace mlir;
using namespace kiln::tile;

//===- Extents and strides ----------------------------------------------------------------------------------------===//

std::optional<int64_t> kiln::tile::knownExtent(KernelOp kernel, StringRef name) {
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto memory = dyn_cast<GlobalType>(type);
    if (!memory) continue;
    for (auto [dim, extent] : llvm::zip(dimsOf(kernel, i), memory.getShape()))
      if (dim == name && !ShapedType::isDynamic(extent)) return extent;
  }
  return std::nullopt;
}

llvm::SetVector<StringRef> kiln::tile::extentNames(KernelOp kernel) {
  llvm::SetVector<StringRef> names;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) names.insert_range(dimsOf(kernel, i));
  return names;
}

std::pair<int64_t, int64_t> kiln::tile::rangeOfExtent(KernelOp kernel, StringRef name) {
  if (std::optional<int64_t> known = knownExtent(kernel, name)) return {*known, *known};
  auto ranges = kernel->getAttrOfType<DictionaryAttr>(kRanges);
  auto range = ranges ? ranges.getAs<ArrayAttr>(name) : ArrayAttr();
  if (!range) return {0, INT32_MAX};
  return {cast<IntegerAttr>(range[0]).getInt(), cast<IntegerAttr>(range[1]).getInt()};
}

StrideSource kiln::tile::strideOf(KernelOp kernel, unsigned argument, unsigned dim) {
  auto memory = cast<GlobalType>(kernel.getArgumentTypes()[argument]);
  StrideSource source;
  if (!memory.getStrides().empty()) {
    int64_t stride = memory.getStrides()[dim];
    source.isParameter = ShapedType::isDynamic(stride);
    if (!source.isParameter) source.factor = stride;
    return source;
  }
  SmallVector<StringRef> names = dimsOf(kernel, argument);
  for (size_t i = dim + 1; i < memory.getShape().size(); ++i) {
    int64_t extent = memory.getShape()[i];
    std::optional<int64_t> known = ShapedType::isDynamic(extent) ? knownExtent(kernel, names[i]) : extent;
    if (known)
      source.factor *= *known;
    else
      source.extents.push_back(names[i]);
  }
  return source;
}

//===- Tensor maps ------------------------------------------------------------------------------------------------===//

static MapRecipe recipe(Value tensor, SharedType tile, std::optional<ArrayAttr> view,
                        std::optional<ArrayRef<int64_t>> box, int64_t l2) {
  MapRecipe map;
  map.argument = cast<BlockArgument>(tensor).getArgNumber();
  if (view)
    for (StringAttr extent : view->getAsRange<StringAttr>()) map.view.push_back(extent.str());
  size_t rank = view ? map.view.size() : cast<GlobalType>(tensor.getType()).getShape().size();
  map.swizzle = tile.getSwizzle();
  map.l2 = l2;
  if (box) {
    map.box.assign(box->begin(), box->end());
  } else {
    ArrayRef<int64_t> shape = tile.getShape();
    map.box.assign(rank - std::min(shape.size(), rank), 1);
    llvm::append_range(map.box, shape);
  }
  if (tile.getPanel() && !map.box.empty()) map.box.back() = tile.getPanel();
  return map;
}

MapRecipe kiln::tile::mapOf(TmaLoadOp load) {
  MapRecipe map = recipe(load.getSource(), load.getTarget().getType(), load.getView(), load.getBox(),
                         static_cast<int64_t>(load.getL2()));
  map.tf32 = load.getTf32();
  return map;
}

MapRecipe kiln::tile::mapOf(TmaStoreOp store) {
  constexpr int64_t kL2 = 128; // as loads have by default, so that they share a map
  return recipe(store.getTarget(), store.getSource().getType(), store.getView(), store.getBox(), kL2);
}

//===- The list ---------------------------------------------------------------------------------------------------===//

namespace {
/// What a program asks for.
struct Wishes {
  llvm::StringSet<> extents;
  std::set<std::pair<unsigned, unsigned>> strides; ///< (argument, dimension)
  SmallVector<MapRecipe> maps;
};
} // namespace

static Wishes wishesOf(KernelOp kernel) {
  Wishes wishes;
  auto want = [&](MapRecipe map) {
    if (!llvm::is_contained(wishes.maps, map)) wishes.maps.push_back(std::move(map));
  };
  auto wantStride = [&](Value memory, unsigned dim) {
    unsigned argument = cast<BlockArgument>(memory).getArgNumber();
    StrideSource source = strideOf(kernel, argument, dim);
    if (source.isParameter) wishes.strides.insert({argument, dim});
    for (StringRef name : source.extents) wishes.extents.insert(name);
  };
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto extent = dyn_cast<ExtentOp>(op)) wishes.extents.insert(extent.getDim());
    if (auto load = dyn_cast<TmaLoadOp>(op)) want(mapOf(load));
    if (auto store = dyn_cast<TmaStoreOp>(op)) want(mapOf(store));
    if (auto stride = dyn_cast<StrideOp>(op)) wantStride(stride.getMemory(), static_cast<unsigned>(stride.getDim()));
    if (auto load = dyn_cast<AsyncLoadOp>(op)) {
      wantStride(load.getSource(), 0);
      for (StringRef name : dimsOf(kernel, cast<BlockArgument>(load.getSource()).getArgNumber()))
        wishes.extents.insert(name);
    }
  });
  return wishes;
}

SmallVector<KernelArgument> kiln::tile::argumentsOf(KernelOp kernel) {
  using Kind = KernelArgument::Kind;
  Wishes wishes = wishesOf(kernel);
  SmallVector<KernelArgument> arguments;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (isa<GlobalType>(type)) arguments.push_back({.kind = Kind::Buffer, .argument = static_cast<unsigned>(i)});
  for (StringRef name : extentNames(kernel))
    if (wishes.extents.contains(name) && !knownExtent(kernel, name))
      arguments.push_back({.kind = Kind::Extent, .name = name.str()});
  for (auto [argument, dim] : wishes.strides)
    arguments.push_back({.kind = Kind::Stride, .argument = argument, .dim = dim});
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!isa<GlobalType>(type)) arguments.push_back({.kind = Kind::Scalar, .argument = static_cast<unsigned>(i)});
  for (MapRecipe &map : wishes.maps)
    arguments.push_back({.kind = Kind::Map, .argument = map.argument, .map = std::move(map)});
  return arguments;
}

//===- As an attribute --------------------------------------------------------------------------------------------===//

static DictionaryAttr oneAttribute(Builder &b, const KernelArgument &argument) {
  using Kind = KernelArgument::Kind;
  auto number = [&](int64_t value) { return b.getI64IntegerAttr(value); };
  auto one = [&](StringRef key, Attribute value) { return b.getDictionaryAttr(b.getNamedAttr(key, value)); };
  switch (argument.kind) {
  case Kind::Buffer:
    return one("buffer", number(argument.argument));
  case Kind::Extent:
    return one("extent", b.getStringAttr(argument.name));
  case Kind::Stride:
    return one("stride", b.getDenseI64ArrayAttr({argument.argument, argument.dim}));
  case Kind::Scalar:
    return one("scalar", number(argument.argument));
  case Kind::Map:
    break;
  }
  const MapRecipe &map = argument.map;
  SmallVector<NamedAttribute> entries = {
      b.getNamedAttr("argument", number(map.argument)), b.getNamedAttr("box", b.getDenseI64ArrayAttr(map.box)),
      b.getNamedAttr("swizzle", number(map.swizzle)), b.getNamedAttr("l2", number(map.l2))};
  if (!map.view.empty())
    entries.push_back(
        b.getNamedAttr("view", b.getStrArrayAttr(SmallVector<StringRef>(map.view.begin(), map.view.end()))));
  if (map.tf32) entries.push_back(b.getNamedAttr("tf32", b.getUnitAttr()));
  return one("map", b.getDictionaryAttr(entries));
}

ArrayAttr kiln::tile::toAttribute(ArrayRef<KernelArgument> arguments, MLIRContext *context) {
  Builder b(context);
  SmallVector<Attribute> list;
  for (const KernelArgument &argument : arguments) list.push_back(oneAttribute(b, argument));
  return b.getArrayAttr(list);
}

/// A number that may be an argument's or dimension's.
static std::optional<unsigned> place(Attribute attribute) {
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!number || number.getValue().getBitWidth() > 64 || number.getInt() < 0 || number.getInt() > INT32_MAX)
    return std::nullopt;
  return static_cast<unsigned>(number.getInt());
}

static FailureOr<MapRecipe> recipeFrom(DictionaryAttr map) {
  auto argument = place(map.get("argument")), swizzle = place(map.get("swizzle")), l2 = place(map.get("l2"));
  auto box = map.getAs<DenseI64ArrayAttr>("box");
  if (!argument || !swizzle || !l2 || !box) return failure();
  MapRecipe recipe{.argument = *argument, .swizzle = *swizzle, .l2 = *l2};
  recipe.box.assign(box.asArrayRef().begin(), box.asArrayRef().end());
  recipe.tf32 = map.contains("tf32");
  Attribute view = map.get("view");
  auto extents = dyn_cast_or_null<ArrayAttr>(view);
  if (view && !extents) return failure();
  for (Attribute extent : extents ? extents.getValue() : ArrayRef<Attribute>()) {
    auto text = dyn_cast<StringAttr>(extent);
    if (!text) return failure();
    recipe.view.push_back(text.str());
  }
  return recipe;
}

static FailureOr<KernelArgument> argumentFrom(DictionaryAttr entry) {
  using Kind = KernelArgument::Kind;
  if (auto number = place(entry.get("buffer"))) return KernelArgument{.kind = Kind::Buffer, .argument = *number};
  if (auto number = place(entry.get("scalar"))) return KernelArgument{.kind = Kind::Scalar, .argument = *number};
  if (auto name = entry.getAs<StringAttr>("extent")) return KernelArgument{.kind = Kind::Extent, .name = name.str()};
  if (auto pair = entry.getAs<DenseI64ArrayAttr>("stride"); pair && pair.size() == 2 && pair[0] >= 0 && pair[1] >= 0)
    return KernelArgument{
        .kind = Kind::Stride, .argument = static_cast<unsigned>(pair[0]), .dim = static_cast<unsigned>(pair[1])};
  auto map = entry.getAs<DictionaryAttr>("map");
  FailureOr<MapRecipe> recipe = map ? recipeFrom(map) : FailureOr<MapRecipe>(failure());
  if (failed(recipe)) return failure();
  return KernelArgument{.kind = Kind::Map, .argument = recipe->argument, .map = *recipe};
}

FailureOr<SmallVector<KernelArgument>> kiln::tile::argumentsFrom(Attribute attribute) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!list) return failure();
  SmallVector<KernelArgument> arguments;
  for (Attribute entry : list) {
    auto dictionary = dyn_cast<DictionaryAttr>(entry);
    FailureOr<KernelArgument> argument = dictionary ? argumentFrom(dictionary) : FailureOr<KernelArgument>(failure());
    if (failed(argument)) return failure();
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}
