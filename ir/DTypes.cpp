#include "ir/DTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace kiln;

namespace {
struct Row {
  DType dtype;
  bool (*is)(Type);
  Type (*make)(MLIRContext *);
  DType accumulator;
  int64_t depth = 0; ///< k of its MMA atom; 0 for none
};

template <class T> bool is(Type type) { return isa<T>(type); }
template <class T> Type make(MLIRContext *context) { return T::get(context); }
template <unsigned bits> bool isInteger(Type type) { return type.isSignlessInteger(bits); }
template <unsigned bits> Type makeInteger(MLIRContext *context) { return IntegerType::get(context, bits); }
bool isNone(Type) { return false; }
Type makeNone(MLIRContext *) { return {}; }

constexpr Row kRows[] = {
    {DType::F64, is<Float64Type>, make<Float64Type>, DType::F64},
    {DType::F32, is<Float32Type>, make<Float32Type>, DType::F32},
    {DType::TF32, isNone, makeNone, DType::F32, 8},
    {DType::F16, is<Float16Type>, make<Float16Type>, DType::F32, 16},
    {DType::BF16, is<BFloat16Type>, make<BFloat16Type>, DType::F32, 16},
    {DType::F8E4M3FN, is<Float8E4M3FNType>, make<Float8E4M3FNType>, DType::F32, 32},
    {DType::F8E5M2, is<Float8E5M2Type>, make<Float8E5M2Type>, DType::F32, 32},
    {DType::F8E8M0, is<Float8E8M0FNUType>, make<Float8E8M0FNUType>, DType::F8E8M0},
    {DType::I64, isInteger<64>, makeInteger<64>, DType::I64},
    {DType::I32, isInteger<32>, makeInteger<32>, DType::I32},
    {DType::I8, isInteger<8>, makeInteger<8>, DType::I32, 32},
    {DType::I4, isInteger<4>, makeInteger<4>, DType::I32},
    {DType::Bool, isInteger<1>, makeInteger<1>, DType::Bool},
};

const Row &rowOf(DType dtype) {
  return *llvm::find_if(kRows, [&](const Row &row) { return row.dtype == dtype; });
}
} // namespace

std::optional<DType> kiln::ir::dtypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  for (const Row &row : kRows)
    if (row.is(element)) return row.dtype;
  return std::nullopt;
}

Type kiln::ir::elementType(DType dtype, MLIRContext *context) { return rowOf(dtype).make(context); }

bool kiln::ir::fitsMemory(RankedTensorType type) {
  std::optional<DType> dtype = dtypeOf(type);
  int64_t bytes = std::max(dtype ? bitWidth(*dtype) / 8 : 1, 1);
  for (int64_t extent : type.getShape()) {
    if (extent == 0) continue;
    if (bytes > kMaxTensorBytes / extent) return false;
    bytes *= extent;
  }
  return true;
}

std::optional<int64_t> kiln::ir::bytesOf(RankedTensorType type) {
  std::optional<DType> dtype = dtypeOf(type);
  if (!dtype || !type.hasStaticShape() || !fitsMemory(type)) return std::nullopt;
  return byteSize(*dtype, type.getNumElements());
}

Type kiln::ir::storageOf(Type element) {
  if (!element.isIntOrFloat()) return element;
  unsigned bits = std::max(element.getIntOrFloatBitWidth(), 8u);
  bool isItself = isa<FloatType>(element) ? bits >= 32 : element.isInteger(bits);
  return isItself ? element : IntegerType::get(element.getContext(), bits);
}

DType kiln::ir::accumulatorOf(DType dtype) { return rowOf(dtype).accumulator; }

Type kiln::ir::accumulatorOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  std::optional<DType> dtype = dtypeOf(element);
  return dtype && accumulatorOf(*dtype) != *dtype ? elementType(accumulatorOf(*dtype), type.getContext()) : element;
}

bool kiln::ir::isWidened(Type type) {
  std::optional<DType> dtype = dtypeOf(type);
  return dtype && isFloat(*dtype) && accumulatorOf(*dtype) != *dtype;
}

std::optional<ir::MmaAtom> kiln::ir::atomOf(DType dtype) {
  int64_t depth = rowOf(dtype).depth;
  return depth ? std::optional(MmaAtom{.k = depth}) : std::nullopt;
}

std::optional<ir::MmaAtom> kiln::ir::atomOf(Type element) {
  std::optional<DType> dtype = dtypeOf(element);
  return dtype ? atomOf(*dtype) : std::nullopt;
}
