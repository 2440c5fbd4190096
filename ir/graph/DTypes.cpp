#include "ir/graph/DTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace kiln;

namespace {
struct Row {
  DType dtype;
  bool (*is)(Type);
  Type (*make)(Builder &);
};

const Row kRows[] = {
    {DType::F64, [](Type t) { return t.isF64(); }, [](Builder &b) -> Type { return b.getF64Type(); }},
    {DType::F32, [](Type t) { return t.isF32(); }, [](Builder &b) -> Type { return b.getF32Type(); }},
    {DType::F16, [](Type t) { return t.isF16(); }, [](Builder &b) -> Type { return b.getF16Type(); }},
    {DType::BF16, [](Type t) { return t.isBF16(); }, [](Builder &b) -> Type { return b.getBF16Type(); }},
    {DType::F8E4M3FN, [](Type t) { return isa<Float8E4M3FNType>(t); },
     [](Builder &b) -> Type { return b.getType<Float8E4M3FNType>(); }},
    {DType::F8E5M2, [](Type t) { return isa<Float8E5M2Type>(t); },
     [](Builder &b) -> Type { return b.getType<Float8E5M2Type>(); }},
    {DType::F8E8M0, [](Type t) { return isa<Float8E8M0FNUType>(t); },
     [](Builder &b) -> Type { return b.getType<Float8E8M0FNUType>(); }},
    {DType::I64, [](Type t) { return t.isSignlessInteger(64); }, [](Builder &b) -> Type { return b.getI64Type(); }},
    {DType::I32, [](Type t) { return t.isSignlessInteger(32); }, [](Builder &b) -> Type { return b.getI32Type(); }},
    {DType::I8, [](Type t) { return t.isSignlessInteger(8); }, [](Builder &b) -> Type { return b.getI8Type(); }},
    {DType::I4, [](Type t) { return t.isSignlessInteger(4); }, [](Builder &b) -> Type { return b.getIntegerType(4); }},
    {DType::Bool, [](Type t) { return t.isSignlessInteger(1); }, [](Builder &b) -> Type { return b.getI1Type(); }},
};
} // namespace

std::optional<DType> kiln::graph::dtypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  for (const Row &row : kRows)
    if (row.is(element)) return row.dtype;
  return std::nullopt;
}

Type kiln::graph::elementType(DType dtype, MLIRContext *context) {
  Builder b(context);
  for (const Row &row : kRows)
    if (row.dtype == dtype) return row.make(b);
  return {};
}

std::optional<int64_t> kiln::graph::bytesOf(RankedTensorType type) {
  std::optional<DType> dtype = dtypeOf(type);
  if (!dtype || !type.hasStaticShape()) return std::nullopt;
  return byteSize(*dtype, type.getNumElements());
}
