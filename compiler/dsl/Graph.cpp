// The public face: kiln::Graph and kiln::Tensor.
#include "compiler/kiln/Graph.h"

#include "compiler/dsl/GraphImpl.h"
#include "compiler/dsl/Operands.h"

#include "llvm/Support/MemoryBuffer.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::dsl;

static RankedTensorType typeOf(const Tensor &tensor, Where where = Where::current()) {
  return cast<RankedTensorType>(Access::value({"Tensor", where}, tensor).getType());
}

Shape Tensor::shape() const { return Shape(typeOf(*this).getShape()); }
DType Tensor::dtype() const { return dtypeOf(typeOf(*this)); }
std::string Tensor::typeString() const { return kiln::typeString(dtype(), shape()); }

int64_t Tensor::extent(int64_t axis, Where where) const {
  auto type = typeOf(*this, where);
  int64_t dim = normalizeAxis(axis, type.getRank());
  if (dim < 0 || dim >= type.getRank())
    fail({"extent", where}, "the axis must be within the rank", fmt::format("an axis of {}", typeString()),
         fmt::format("axis {}", axis));
  return type.getDimSize(dim);
}

Graph::Graph() : impl(std::make_shared<GraphImpl>()) {}

Graph Graph::fromText(std::string_view text, const std::string &origin, const std::string &entry,
                      const ProgramBindings &bindings) {
  Graph graph;
  graph.impl = std::make_shared<GraphImpl>(StringRef(text), origin, entry, bindings);
  return graph;
}

Graph Graph::fromFile(const std::string &path, const std::string &entry, const ProgramBindings &bindings) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    throw Error({.code = ErrorCode::InvalidInput,
                 .op = path,
                 .rule = "the file cannot be read",
                 .found = file.getError().message()});
  StringRef bytes = (*file)->getBuffer();
  return fromText({bytes.data(), bytes.size()}, path, entry, bindings);
}

Tensor Graph::input(const std::string &name, Shape shape, DType dtype, Where where) {
  return Access::tensor(impl, impl->addInput({"input", where}, name, shape, dtype, /*parameter=*/false));
}

Tensor Graph::parameter(const std::string &name, Shape shape, DType dtype, Where where) {
  return Access::tensor(impl, impl->addInput({"parameter", where}, name, shape, dtype, /*parameter=*/true));
}

void Graph::output(const std::string &name, const Operand &value) {
  OpScope scope("output", {&value});
  Value result = scope.value(value);
  if (Access::graphOf(scope.call(), std::get<Tensor>(value.content)) != impl)
    fail(scope.call(), "an output must be a tensor of this graph", "a tensor of this kiln::Graph", "one of another");
  impl->addOutput(scope.call(), name, result);
}

/// A splat of a scalar, outside any op.
static Tensor filled(const std::shared_ptr<GraphImpl> &impl, const Call &call, const Shape &shape, const Operand &value,
                     DType dtype) {
  RankedTensorType type = impl->tensorType(call, shape, dtype);
  return Access::tensor(impl, impl->constant(call, DenseElementsAttr::get(type, scalarAttr(call, value, type))));
}

Tensor Graph::full(Shape shape, const Operand &value, DType dtype) {
  return filled(impl, {"full", value.where}, shape, value, dtype);
}

Tensor Graph::zeros(Shape shape, DType dtype, Where where) {
  return filled(impl, {"zeros", where}, shape, dtype == DType::Bool ? Operand(false) : Operand(0), dtype);
}

Tensor Graph::ones(Shape shape, DType dtype, Where where) {
  return filled(impl, {"ones", where}, shape, dtype == DType::Bool ? Operand(true) : Operand(1), dtype);
}

Tensor Graph::constant(const HostTensor &data, Where where) {
  Call call{"constant", where};
  RankedTensorType type = impl->tensorType(call, data.shape(), data.dtype());
  auto *bytes = static_cast<const char *>(data.raw());
  if (data.dtype() != DType::Bool)
    return Access::tensor(impl,
                          impl->constant(call, DenseElementsAttr::getFromRawBuffer(type, {bytes, data.byteSize()})));
  std::vector<char> flags(data.byteSize()); // i1 attributes are packed by MLIR itself
  for (size_t i = 0; i < flags.size(); ++i) flags[i] = bytes[i] != 0;
  ArrayRef<bool> bits(reinterpret_cast<const bool *>(flags.data()), flags.size());
  return Access::tensor(impl, impl->constant(call, DenseElementsAttr::get(type, bits)));
}

Tensor Graph::iota(Shape shape, int64_t axis, DType dtype, Where where) {
  Call call{"iota", where};
  RankedTensorType type = impl->tensorType(call, shape, dtype);
  auto attr = impl->b().getNamedAttr("axis", impl->b().getI64IntegerAttr(normalizeAxis(axis, type.getRank())));
  return Access::tensor(impl, impl->build(call, "graph.iota", {}, attr, type));
}

Tensor Graph::arange(int64_t count, DType dtype, Where where) { return iota({count}, 0, dtype, where); }

std::vector<TensorInfo> Graph::inputs() const { return impl->inputs(); }
std::vector<TensorInfo> Graph::outputs() const { return impl->outputs(); }

std::string Graph::mlir(bool locations) const {
  std::lock_guard guard(impl->lock);
  OwningOpRef<ModuleOp> copy = impl->finish();
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (locations) flags.enableDebugInfo();
  copy->print(os, flags);
  os << '\n';
  return text;
}
