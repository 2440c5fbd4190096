// Warpgroup products as assembly. Registers are tied from input to output through products, fences and waits, so that
// LLVM keeps a sum in one register from its first product to its wait.
#include "codegen/ptx/Assembly.h"
#include "ir/Typed.h"
#include "ir/ptx/Ptx.h"

#include <fmt/format.h>

using namespace mlir;
using namespace kiln;
using namespace kiln::codegen;
using ptx::WgmmaElement;

namespace {

/// Elements in the 32 bytes of k that one instruction takes.
int64_t stepOf(WgmmaElement element) {
  switch (element) {
  case WgmmaElement::bf16:
  case WgmmaElement::f16:
    return 16;
  case WgmmaElement::tf32:
    return 8;
  default:
    return 32;
  }
}

/// The immediates behind the predicate: signs of a and b, which integers have not; transposes, which 16-bit elements in
/// shared memory have.
std::string immediatesOf(ptx::WgmmaOp product) {
  if (product.getSumElement() == WgmmaElement::s32) return "";
  std::string text = ", 1, 1";
  if (stepOf(product.getAElement()) != 16) return text;
  if (product.getA()) text += product.getTransposeA() ? ", 1" : ", 0";
  return text + (product.getTransposeB() ? ", 1" : ", 0");
}

std::string translateProduct(ptx::WgmmaOp product, Assembly &assembly) {
  assembly.tied(product.getSums());
  std::string a;
  if (product.getA()) {
    a = fmt::format("${}", assembly.input(product.getA()));
  } else {
    unsigned first = assembly.input(product.getARegisters()[0]);
    for (Value word : product.getARegisters().drop_front()) assembly.input(word);
    a = registerList(first, 4);
  }
  unsigned right = assembly.input(product.getB());
  std::string name = fmt::format(
      "wgmma.mma_async.sync.aligned.m64n{}k{}.{}.{}.{}", product.getColumns(), stepOf(product.getAElement()),
      ptx::stringifyWgmmaElement(product.getSumElement()).str(),
      ptx::stringifyWgmmaElement(product.getAElement()).str(), ptx::stringifyWgmmaElement(product.getBElement()).str());
  std::string operands =
      fmt::format("{}, {}, ${}", registerList(0, product.getSums().size(), /*single=*/false), a, right);
  if (product.getPredicate())
    return fmt::format("{} {}, ${}{};", name, operands, assembly.input(product.getPredicate()), immediatesOf(product));
  return fmt::format("{{ .reg .pred all; setp.eq.u32 all, 0, 0; {} {}, all{}; }}", name, operands,
                     immediatesOf(product));
}

std::string translateWait(ptx::WgmmaWaitOp wait, Assembly &assembly) {
  assembly.tied(wait->getOperands());
  return fmt::format("wgmma.wait_group.sync.aligned {};", static_cast<int64_t>(wait.getPending()));
}

} // namespace

ArrayRef<PtxRow> kiln::codegen::wgmmaPtxRows() {
  static constexpr PtxRow rows[] = {{"ptx.wgmma", "", ir::typed<translateProduct>, /*isArchSpecific=*/true},
                                    {"ptx.wgmma_fence", "wgmma.fence.sync.aligned;", nullptr, /*isArchSpecific=*/true},
                                    {"ptx.wgmma_wait", "", ir::typed<translateWait>, /*isArchSpecific=*/true}};
  return rows;
}
