#include "compiler/dsl/LoneProgram.h"

#include "compiler/dsl/Diagnostics.h"
#include "compiler/dsl/GraphImpl.h"
#include "runtime/Nearest.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;

[[noreturn]] static void refuse(const std::string &origin, std::string rule, std::string expected, std::string found,
                                std::string hint = {}) {
  throw Error({.code = ErrorCode::InvalidInput,
               .op = origin,
               .rule = std::move(rule),
               .expected = std::move(expected),
               .found = std::move(found),
               .hint = std::move(hint)});
}

std::map<std::string, double> kiln::dsl::parseBindings(const std::string &option, StringRef text) {
  std::map<std::string, double> values;
  for (StringRef part : llvm::split(text, ',')) {
    auto [name, number] = part.split('=');
    double value = 0;
    bool isNumber = !number.trim().getAsDouble(value) && std::isfinite(value);
    if (!name.trim().empty() && isNumber && values.emplace(name.trim().str(), value).second) continue;
    throw Error({.code = ErrorCode::Usage,
                 .op = option,
                 .rule = "an extent or scalar is bound once, by its name, to a number",
                 .expected = "M=4096,N=512",
                 .found = text.str()});
  }
  return values;
}

bool kiln::dsl::holdsProgramsAlone(ModuleOp module) {
  return module.getOps<func::FuncOp>().empty() && !module.getOps<tile::KernelOp>().empty();
}

static tile::KernelOp findEntry(ModuleOp module, const std::string &entry, const std::string &origin) {
  SmallVector<tile::KernelOp> programs(module.getOps<tile::KernelOp>());
  if (entry == "main" && programs.size() == 1) return programs.front();
  std::vector<std::string> names;
  for (tile::KernelOp program : programs) {
    if (program.getSymName() == entry) return program;
    names.push_back(program.getSymName().str());
  }
  refuse(origin, "the entry must be one of the file's tile programs", llvm::join(names, ", "), entry,
         nearestName(entry, names));
}

ArrayAttr kiln::dsl::scalarAttributes(const graph::Program &program, const std::map<std::string, double> &values,
                                      const std::string &origin) {
  Builder b(const_cast<tile::KernelOp &>(program.op)->getContext());
  SmallVector<Attribute> attributes;
  for (const graph::ProgramScalar &scalar : program.scalars) {
    auto value = values.find(scalar.name);
    if (value == values.end())
      refuse(origin, fmt::format("every scalar argument has a value"), scalar.name, "none",
             fmt::format("--bind {}=…", scalar.name));
    bool whole = std::trunc(value->second) == value->second && std::abs(value->second) <= 9.0e15;
    if (isa<FloatType>(scalar.type))
      attributes.push_back(b.getFloatAttr(scalar.type, value->second));
    else if (whole)
      attributes.push_back(b.getIntegerAttr(scalar.type, static_cast<int64_t>(value->second)));
    else
      refuse(origin, fmt::format("the scalar `{}` is an integer", scalar.name), "an integer",
             fmt::format("{}", value->second));
  }
  return b.getArrayAttr(attributes);
}

namespace {
/// The types of a program's tensors, from what is known of them by name.
class Binding {
public:
  Binding(const graph::Program &program, const ProgramBindings &given, const std::string &origin)
      : program(program), given(given), origin(origin) {
    bindStatic();
    bindValues();
    for (size_t i = 0; i < program.tensors.size(); ++i) bindShape(program.tensors[i], i < program.numInputs);
    checkNames();
  }

  SmallVector<Type> inputTypes() {
    SmallVector<Type> types;
    for (const graph::ProgramTensor &tensor : ArrayRef(program.tensors).take_front(program.numInputs)) {
      SmallVector<int64_t> shape(tensor.type.getShape());
      if (auto known = given.inputs.find(tensor.name); known != given.inputs.end())
        shape.assign(known->second.begin(), known->second.end());
      else
        for (auto [d, extent] : llvm::enumerate(shape))
          if (ShapedType::isDynamic(extent)) extent = valueOf(tensor, d);
      types.push_back(RankedTensorType::get(shape, tensor.type.getElementType()));
    }
    return types;
  }

  /// Binds the names that only results have, if anything may be taken for them.
  void bindResults() {
    for (const graph::ProgramTensor &tensor : ArrayRef(program.tensors).drop_front(program.numInputs))
      for (auto [d, extent] : llvm::enumerate(tensor.type.getShape()))
        if (ShapedType::isDynamic(extent)) (void)valueOf(tensor, d);
  }

  Bindings extents;

private:
  const graph::Program &program;
  const ProgramBindings &given;
  const std::string &origin;
  std::map<std::string, std::string> boundBy;

  void bind(const std::string &name, int64_t extent, const std::string &by) {
    auto [known, isNew] = extents.emplace(name, extent);
    if (isNew) boundBy[name] = by;
    if (known->second != extent)
      refuse(origin, fmt::format("extents of one name are equal: `{}`", name),
             fmt::format("{}, by {}", known->second, boundBy[name]), fmt::format("{}, by {}", extent, by));
  }

  void bindStatic() {
    for (const graph::ProgramTensor &tensor : program.tensors)
      for (auto [name, extent] : llvm::zip(tensor.dims, tensor.type.getShape()))
        if (!ShapedType::isDynamic(extent)) bind(name.str(), extent, fmt::format("the type of `{}`", tensor.name));
  }

  void bindValues() {
    for (const auto &[name, value] : given.values) {
      bool isScalar = llvm::any_of(program.scalars, [&, &name = name](auto &s) { return s.name == name; });
      if (isScalar) continue;
      if (std::trunc(value) != value || value < 0 || value > 9.0e15)
        refuse(origin, fmt::format("the extent `{}` is a number of elements", name), "0 or more",
               fmt::format("{}", value));
      bind(name, static_cast<int64_t>(value), "--bind");
    }
  }

  void bindShape(const graph::ProgramTensor &tensor, bool input) {
    auto known = given.inputs.find(tensor.name);
    if (known == given.inputs.end()) return;
    if (!input) refuse(origin, "what a program writes is not given", "an input", fmt::format("`{}`", tensor.name));
    if (known->second.size() != tensor.type.getShape().size())
      refuse(origin, fmt::format("`{}` has the rank of its argument", tensor.name),
             std::to_string(tensor.type.getShape().size()), shapeString(known->second));
    for (size_t d = 0; d < tensor.dims.size(); ++d)
      bind(tensor.dims[d].str(), known->second[d], fmt::format("`{}` {}", tensor.name, shapeString(known->second)));
  }

  void checkNames() {
    std::vector<std::string> dims, tensors;
    for (const graph::ProgramTensor &tensor : program.tensors) {
      tensors.push_back(tensor.name);
      for (StringRef dim : tensor.dims) dims.push_back(dim.str());
    }
    for (const auto &[name, shape] : given.inputs)
      if (!llvm::is_contained(tensors, name))
        refuse(origin, "the program has no such argument", llvm::join(tensors, ", "), name, nearestName(name, tensors));
    for (const auto &[name, extent] : extents)
      if (!llvm::is_contained(dims, name))
        refuse(origin, "the program has no such extent or scalar", dims.empty() ? "none" : llvm::join(dims, ", "), name,
               nearestName(name, dims));
  }

  int64_t valueOf(const graph::ProgramTensor &tensor, size_t d) {
    std::string name = d < tensor.dims.size() ? tensor.dims[d].str() : "";
    if (auto known = extents.find(name); known != extents.end()) return known->second;
    if (given.otherExtents > 0) return extents[name] = given.otherExtents;
    refuse(origin, "every extent of a tile program is known", fmt::format("`{}` of `{}`", name, tensor.name),
           "nothing that binds it", fmt::format("--bind {}=4096, or --input {}=file.npy", name, tensor.name));
  }
};
} // namespace

FailureOr<func::FuncOp> kiln::dsl::wrapProgram(ModuleOp module, const std::string &entry,
                                               const ProgramBindings &bindings, const std::string &origin) {
  tile::KernelOp kernel = findEntry(module, entry, origin);
  FailureOr<graph::Program> program = graph::programOf(kernel, kernel.getLoc());
  if (failed(program)) return failure();
  Binding binding(*program, bindings, origin);
  SmallVector<Type> inputs = binding.inputTypes();
  binding.bindResults();
  FailureOr<SmallVector<Type>> results = graph::resultTypes(*program, binding.extents, kernel.getLoc());
  if (failed(results)) return failure();

  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = kernel.getLoc();
  auto function = func::FuncOp::create(b, loc, "main", b.getFunctionType(inputs, *results));
  b.setInsertionPointToEnd(function.addEntryBlock());
  ArrayAttr scalars = scalarAttributes(*program, bindings.values, origin);
  auto call =
      graph::CustomKernelOp::create(b, loc, *results, FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                                    function.getArguments(), scalars.empty() ? ArrayAttr() : scalars, StringAttr());
  func::ReturnOp::create(b, loc, call.getResults());
  for (auto [i, tensor] : llvm::enumerate(program->tensors)) {
    auto name = b.getStringAttr(tensor.name);
    if (i < program->numInputs)
      function.setArgAttr(i, "graph.name", name);
    else
      function.setResultAttr(i - program->numInputs, "graph.name", name);
  }
  if (failed(graph::verifyCall(call))) return failure();
  return function;
}
