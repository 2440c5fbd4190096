#include "codegen/lower/Tables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace kiln;

std::string kiln::codegen::tableName(DenseElementsAttr table) {
  ArrayRef<char> raw = table.getRawData();
  uint64_t hash = llvm::xxh3_64bits(StringRef(raw.data(), raw.size()));
  auto matrix = cast<RankedTensorType>(table.getType());
  std::string name;
  llvm::raw_string_ostream(name) << "table_" << matrix.getDimSize(0) << "x" << matrix.getDimSize(1)
                                 << matrix.getElementType() << "_"
                                 << llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16);
  return name;
}

void kiln::codegen::declareTables(tile::KernelOp kernel, unsigned addressSpace) {
  auto module = kernel->getParentOfType<ModuleOp>();
  kernel.getBody().walk([&](tile::LookupOp lookup) {
    auto table = cast<DenseElementsAttr>(lookup.getTable());
    std::string name = tableName(table);
    if (module.lookupSymbol(name)) return;
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    Type type = LLVM::LLVMArrayType::get(table.getElementType(), table.getNumElements());
    auto flat = RankedTensorType::get({table.getNumElements()}, table.getElementType());
    Attribute values = table.isSplat() ? table.resizeSplat(flat) : table.reshape(flat);
    LLVM::GlobalOp::create(b, kernel.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal, name, values,
                           /*alignment=*/64, addressSpace);
  });
}
