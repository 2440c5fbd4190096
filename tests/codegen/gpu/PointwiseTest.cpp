// Pointwise tile programs as PTX: packed and rounding arithmetic, wide accesses, no branch on data, no spill.
#include "tests/codegen/gpu/PtxKit.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <fmt/format.h>

using namespace kiln;
using namespace kiln::codegen;

namespace {

/// y = body(a, b) on 1000 elements of a type, of which the last CTA has a part; `body` makes %r of type `V`.
std::string pointwise(const std::string &element, const std::string &body, const std::string &prefix = "") {
  std::string text = prefix + R"(
  tile.kernel @k(%x: !tile.global<1000xE>, %z: !tile.global<1000xE>, %y: !tile.global<1000xE>) grid 4 threads 32 {
    %c256 = arith.constant 256 : index
    %c1000 = arith.constant 1000 : index
    %c3 = arith.constant 3 : index
    %id = tile.cta_id
    %o = arith.muli %id, %c256 : index
    %whole = arith.cmpi slt, %id, %c3 : index
    scf.if %whole {
      %a = tile.load %x[%o] aligned 8 : !tile.global<1000xE> -> V
      %b = tile.load %z[%o] aligned 8 : !tile.global<1000xE> -> V
      BODY
      tile.store %r, %y[%o] aligned 8 : V, !tile.global<1000xE>
    } else {
      %n = arith.subi %c1000, %o : index
      %m = tile.lane_mask %n aligned 8 : tensor<256xi1, #tile.blocked<vec = 8, threads = 32>>
      %a = tile.load %x[%o] aligned 8 mask %m : tensor<256xi1, #tile.blocked<vec = 8, threads = 32>> : !tile.global<1000xE> -> V
      %b = tile.load %z[%o] aligned 8 mask %m : tensor<256xi1, #tile.blocked<vec = 8, threads = 32>> : !tile.global<1000xE> -> V
      BODY
      tile.store %r, %y[%o] aligned 8 mask %m : tensor<256xi1, #tile.blocked<vec = 8, threads = 32>> : V, !tile.global<1000xE>
    }
    tile.return
  })";
  auto replaceAll = [&](const std::string &from, const std::string &to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replaceAll("BODY", body);
  replaceAll("xE>", "x" + element + ">");
  replaceAll("V", "tensor<256x" + element + ", #tile.blocked<vec = 8, threads = 32>>");
  return text;
}

struct Case {
  const char *element, *body;
  std::map<std::string, const char *> instruction; ///< by target, one for each pair of 16-bit or each f32 element
  size_t perThread;                                ///< how many of it a thread has on a whole fragment
};

const Case kCases[] = {
    {"bf16", "%r = arith.addf %a, %b : V", {{"sm_80", "fma.rn.bf16x2"}, {"sm_90a", "add.rn.bf16x2"}}, 4},
    {"bf16", "%r = arith.subf %a, %b : V", {{"sm_80", "fma.rn.bf16x2"}, {"sm_90a", "sub.rn.bf16x2"}}, 4},
    {"bf16", "%r = arith.mulf %a, %b : V", {{"sm_80", "fma.rn.bf16x2"}, {"sm_90a", "mul.rn.bf16x2"}}, 4},
    {"bf16", "%r = math.fma %a, %b, %a : V", {{"sm_80", "fma.rn.bf16x2"}, {"sm_90a", "fma.rn.bf16x2"}}, 4},
    {"bf16", "%r = arith.maximumf %a, %b : V", {{"sm_80", "max.NaN.bf16x2"}, {"sm_90a", "max.NaN.bf16x2"}}, 4},
    {"bf16", "%r = arith.minimumf %a, %b : V", {{"sm_80", "min.NaN.bf16x2"}, {"sm_90a", "min.NaN.bf16x2"}}, 4},
    {"f16", "%r = arith.addf %a, %b : V", {{"sm_80", "add.rn.f16x2"}, {"sm_90a", "add.rn.f16x2"}}, 4},
    {"f16", "%r = arith.mulf %a, %b : V", {{"sm_80", "mul.rn.f16x2"}, {"sm_90a", "mul.rn.f16x2"}}, 4},
    {"f16", "%r = math.fma %a, %b, %a : V", {{"sm_80", "fma.rn.f16x2"}, {"sm_90a", "fma.rn.f16x2"}}, 4},
    {"f16", "%r = arith.maximumf %a, %b : V", {{"sm_80", "max.NaN.f16x2"}, {"sm_90a", "max.NaN.f16x2"}}, 4},
    {"f32", "%r = arith.addf %a, %b : V", {{"sm_80", "add.rn.f32"}, {"sm_90a", "add.rn.f32"}}, 8},
    {"f32", "%r = arith.subf %a, %b : V", {{"sm_80", "sub.rn.f32"}, {"sm_90a", "sub.rn.f32"}}, 8},
    {"f32", "%r = arith.mulf %a, %b : V", {{"sm_80", "mul.rn.f32"}, {"sm_90a", "mul.rn.f32"}}, 8},
    {"f32", "%r = arith.divf %a, %b : V", {{"sm_80", "div.rn.f32"}, {"sm_90a", "div.rn.f32"}}, 8},
    {"f32", "%r = math.sqrt %a : V", {{"sm_80", "sqrt.rn.f32"}, {"sm_90a", "sqrt.rn.f32"}}, 8},
    {"f32", "%r = math.fma %a, %b, %a : V", {{"sm_80", "fma.rn.f32"}, {"sm_90a", "fma.rn.f32"}}, 8},
    {"f32", "%r = arith.maximumf %a, %b : V", {{"sm_80", "max.NaN.f32"}, {"sm_90a", "max.NaN.f32"}}, 8},
    {"f32", "%r = math.roundeven %a : V", {{"sm_80", "cvt.rni.f32.f32"}, {"sm_90a", "cvt.rni.f32.f32"}}, 8},
    {"f64", "%r = arith.addf %a, %b : V", {{"sm_80", "add.rn.f64"}, {"sm_90a", "add.rn.f64"}}, 8},
};

/// One instruction per element or pair and no other arithmetic: nothing is contracted, flushed or rounded twice.
TEST(Pointwise, ArithmeticIsOneRoundedInstruction) {
  for (const Case &c : kCases)
    for (auto &[target, instruction] : c.instruction) {
      SCOPED_TRACE(fmt::format("{} {} {}", target, c.element, c.body));
      std::string ptx = GpuProgram(pointwise(c.element, c.body), target).ptx();
      EXPECT_EQ(countOf(ptx, instruction), 2 * c.perThread);
      EXPECT_EQ(countOf(ptx, ".ftz"), 0u);
    }
}

TEST(Pointwise, MulThenAddStaysTwoRoundings) {
  std::string body = "%p = arith.mulf %a, %b : V\n%r = arith.addf %p, %a : V";
  std::string ptx = GpuProgram(pointwise("f32", body), "sm_80").ptx();
  EXPECT_EQ(countOf(ptx, "fma"), 0u);
  EXPECT_EQ(countOf(ptx, "mul.rn.f32"), 16u);
  EXPECT_EQ(countOf(ptx, "add.rn.f32"), 16u);
  ptx = GpuProgram(pointwise("bf16", body), "sm_90a").ptx();
  EXPECT_EQ(countOf(ptx, "fma"), 0u);
  EXPECT_EQ(countOf(ptx, "mul.rn.bf16x2"), 8u);
}

/// A quotient of 16-bit floats is one of f32, rounded: f32 has the bits for it.
TEST(Pointwise, QuotientsAndRootsOfHalvesGoThroughF32) {
  for (const char *body : {"%r = arith.divf %a, %b : V", "%r = math.sqrt %a : V"})
    for (const char *element : {"bf16", "f16"}) {
      std::string ptx = GpuProgram(pointwise(element, body), "sm_80").ptx();
      EXPECT_EQ(countOf(ptx, "div.rn.f32") + countOf(ptx, "sqrt.rn.f32"), 16u) << element << body;
      EXPECT_GE(countOf(ptx, "cvt.rn."), 8u) << element << body;
    }
}

TEST(Pointwise, AccessesAreAsWideAsTheyMayBe) {
  std::string ptx = GpuProgram(pointwise("bf16", "%r = arith.addf %a, %b : V"), "sm_90a").ptx();
  EXPECT_EQ(countOf(ptx, "ld.global.nc.v4.b32"), 4u);
  EXPECT_EQ(countOf(ptx, "st.global.v4.b32"), 2u);
  EXPECT_EQ(countOf(ptx, "ld.global"), 4u);
  EXPECT_EQ(countOf(ptx, "st.global"), 2u);
  ptx = GpuProgram(pointwise("f32", "%r = arith.addf %a, %b : V"), "sm_90a").ptx();
  EXPECT_EQ(countOf(ptx, "ld.global.nc.v4.b32"), 8u);
  EXPECT_EQ(countOf(ptx, "ld.global"), 8u);
}

//===- Branches ---------------------------------------------------------------------------------------------------===//

/// Whether a value comes, through anything, from memory (kernel arguments' addresses aside).
bool comesFromMemory(const llvm::Value *value, std::set<const llvm::Value *> &seen) {
  if (!seen.insert(value).second) return false;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return false;
  if (llvm::isa<llvm::LoadInst>(instruction)) return true;
  if (auto *call = llvm::dyn_cast<llvm::CallInst>(instruction); call && call->isInlineAsm()) return true;
  return llvm::any_of(instruction->operands(), [&](const llvm::Use &use) { return comesFromMemory(use, seen); });
}

TEST(Pointwise, NoBranchDependsOnLoadedData) {
  std::string body = "%p = arith.cmpf olt, %a, %b : V\n%s = arith.divf %a, %b : V\n%r = arith.select %p, %s, %b : "
                     "tensor<256xi1, #tile.blocked<vec = 8, threads = 32>>, V";
  GpuProgram program(pointwise("f32", body), "sm_90a");
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseIR(*llvm::MemoryBuffer::getMemBufferCopy(program.llvmIr()), diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  int branches = 0;
  for (llvm::Instruction &i : llvm::instructions(*module->getFunction("k"))) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(&i);
    if (!branch || !branch->isConditional()) continue;
    ++branches;
    std::set<const llvm::Value *> seen;
    EXPECT_FALSE(comesFromMemory(branch->getCondition(), seen));
  }
  EXPECT_EQ(branches, 1);
}

TEST(Pointwise, AssemblesWithoutSpills) {
  auto tool = assembler();
  if (!tool) GTEST_SKIP() << "no assembler on this machine";
  for (const Case &c : kCases)
    for (const char *target : {"sm_80", "sm_90a"}) {
      SCOPED_TRACE(fmt::format("{} {} {}", target, c.element, c.body));
      GpuProgram program(pointwise(c.element, c.body), target);
      ASSERT_TRUE(program.lowered);
      auto image = emitPtx(program.function(), program.target);
      ASSERT_TRUE(!!image) << llvm::toString(image.takeError());
      EXPECT_EQ(image->threads, 32);
      auto made = tool->assemble(*image, target);
      ASSERT_TRUE(!!made) << llvm::toString(made.takeError());
      EXPECT_EQ(made->report.spillBytes, 0);
      EXPECT_LE(made->report.registers, 64);
    }
}

/// What LLVM cannot do is an error with its words, and the next kernel compiles.
TEST(EmitPtx, ContainsLlvmsErrors) {
  GpuProgram program(pointwise("f32", "%r = arith.addf %a, %b : V"), "sm_80");
  ASSERT_TRUE(program.lowered);
  GpuTarget unknown = program.target;
  unknown.ptxVersion = 60; // older than the target
  auto refused = emitPtx(program.function(), unknown);
  ASSERT_FALSE(!!refused);
  EXPECT_NE(llvm::toString(refused.takeError()).find("PTX version"), std::string::npos);
  auto made = emitPtx(program.function(), program.target);
  EXPECT_TRUE(!!made) << llvm::toString(made.takeError());
}

} // namespace
