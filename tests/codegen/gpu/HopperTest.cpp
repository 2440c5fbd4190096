// Warpgroup products, clusters and bulk copies as PTX: every atom that the hardware has, in every order of its operands
// in memory, assembles as it is written.
#include "passes/tile/Passes.h"
#include "tests/codegen/gpu/PtxKit.h"

#include <fmt/format.h>

using namespace kiln;
using namespace kiln::codegen;

namespace {

/// One product of two tiles.
struct Atom {
  const char *element, *sum; ///< of the operands, of the result
  int64_t m, n, k;
  bool transposeA, transposeB; ///< as `tile.wgmma` says
  bool registers;              ///< a passes through registers
  const char *instruction;
  size_t count; ///< of it
};

const Atom kAtoms[] = {
    {"bf16", "f32", 64, 128, 64, false, false, false, "m64n128k16.f32.bf16.bf16", 4},
    {"bf16", "f32", 64, 128, 64, false, true, false, "m64n128k16.f32.bf16.bf16", 4},
    {"bf16", "f32", 64, 128, 64, true, false, false, "m64n128k16.f32.bf16.bf16", 4},
    {"bf16", "f32", 128, 96, 64, true, true, false, "m64n96k16.f32.bf16.bf16", 8},
    {"f16", "f32", 64, 256, 128, false, true, false, "m64n256k16.f32.f16.f16", 8},
    {"f16", "f16", 64, 64, 64, false, false, false, "m64n64k16.f16.f16.f16", 4},
    {"f32", "f32", 64, 64, 32, false, true, false, "m64n64k8.f32.tf32.tf32", 4},
    {"f8E4M3FN", "f32", 64, 64, 128, false, true, false, "m64n64k32.f32.e4m3.e4m3", 4},
    {"f8E5M2", "f16", 64, 64, 64, false, true, false, "m64n64k32.f16.e5m2.e5m2", 2},
    {"i8", "i32", 128, 32, 64, false, true, false, "m64n32k32.s32.s8.s8", 4},
    {"bf16", "f32", 64, 8, 16, false, true, false, "m64n8k16.f32.bf16.bf16", 1},
    {"bf16", "f32", 64, 64, 64, false, true, true, "m64n64k16.f32.bf16.bf16", 4},
    {"f16", "f32", 128, 64, 32, false, false, true, "m64n64k16.f32.f16.f16", 4},
    {"f32", "f32", 128, 64, 16, false, true, true, "m64n64k8.f32.tf32.tf32", 4},
    {"f8E4M3FN", "f32", 128, 64, 64, false, true, true, "m64n64k32.f32.e4m3.e4m3", 4},
    {"f8E5M2", "f32", 64, 64, 128, false, true, true, "m64n64k32.f32.e5m2.e5m2", 4},
    {"i8", "i32", 64, 32, 64, false, true, true, "m64n32k32.s32.s8.s8", 2},
};

/// A tile as long as its swizzle, or in panels of 128 bytes.
std::string tileType(int64_t rows, int64_t columns, const std::string &element) {
  int64_t bytes = element == "f32" ? 4 : element.find('8') != std::string::npos ? 1 : 2, row = columns * bytes;
  if (row <= 128) return fmt::format("!tile.shared<{}x{}x{}, swizzle = {}>", rows, columns, element, row);
  return fmt::format("!tile.shared<{}x{}x{}, swizzle = 128, panel = {}>", rows, columns, element, 128 / bytes);
}

/// %f, a in registers: as an operand straight from memory, or as an accumulator that becomes one.
std::string leftInRegisters(const Atom &atom) {
  std::string element = atom.element, shape = fmt::format("tensor<{}x{}x{}", atom.m, atom.k, element);
  if (element == "f32")
    return fmt::format("%f = tile.load %a[%c0] rows {} : !GA -> {}, #tile.wgmma_a>\n", atom.k, shape);
  std::string text = fmt::format("%r = tile.load %a[%c0] rows {} : !GA -> {}, #tile.wgmma>\n", atom.k, shape);
  bool adds = element.find("f16") != std::string::npos; // floats of 8 bits are moved alone
  if (adds) text += fmt::format("%s = arith.addf %r, %r : {}, #tile.wgmma>\n", shape);
  return text +
         fmt::format("%f = tile.relayout %{0} : {1}, #tile.wgmma> -> {1}, #tile.wgmma_a>\n", adds ? "s" : "r", shape);
}

/// c = a·b of one CTA.
std::string product(const Atom &atom) {
  int64_t aRows = atom.transposeA ? atom.k : atom.m, aColumns = atom.transposeA ? atom.m : atom.k;
  int64_t bRows = atom.transposeB ? atom.n : atom.k, bColumns = atom.transposeB ? atom.k : atom.n;
  std::string left = "%as", leftType = "!A", more;
  if (atom.registers) {
    more = leftInRegisters(atom);
    left = "%f";
    leftType = fmt::format("tensor<{}x{}x{}, #tile.wgmma_a>", atom.m, atom.k, atom.element);
  }
  return fmt::format("!A = {}\n!B = {}\n!GA = !tile.global<{}x{}x{}>\n!GB = !tile.global<{}x{}x{}>\n",
                     tileType(aRows, aColumns, atom.element), tileType(bRows, bColumns, atom.element), aRows, aColumns,
                     atom.element, bRows, bColumns, atom.element) +
         fmt::format("!S = tensor<{0}x{1}x{2}, #tile.wgmma>\n!P = !tile.pending<!S>\n!C = !tile.global<{0}x{1}x{2}>\n",
                     atom.m, atom.n, atom.sum) +
         "!R = !tile.ring<1 x !A, !B>\n" +
         R"(
  tile.kernel @k(%a: !GA, %b: !GB, %c: !C) grid 1 threads 128 {
    %c0 = arith.constant 0 : index
    %ring = tile.alloc_ring readers 1 : !R
    tile.fill %ring[%c0] {
    ^slot(%as: !A, %bs: !B, %full: !tile.mbarrier):
      tile.tma_load %a[%c0, %c0], %as signal %full : !GA, !A
      tile.tma_load %b[%c0, %c0], %bs signal %full : !GB, !B
    } : !R
    %none = tile.wgmma_none : !P
)" + more +
         "%as, %bs = tile.ring_wait %ring[%c0] : !R -> !A, !B\n" +
         fmt::format("%p = tile.wgmma {}{}, %bs{}, %none : {}, !B, !P -> !P\n", left,
                     atom.transposeA ? " transpose" : "", atom.transposeB ? " transpose" : "", leftType) +
         fmt::format("%q = tile.wgmma_wait %p : !P -> !S\ntile.ring_release %ring[%c0] : !R\n"
                     "tile.store %q, %c[%c0] rows {} : !S, !C\ntile.return\n}}",
                     atom.n);
}

/// Assembles for sm_90a, with nothing spilled and nothing that could not be kept as written.
void expectCleanAssembly(GpuProgram &program) {
  auto tool = assembler();
  if (!tool) GTEST_SKIP() << "no assembler on this machine";
  auto image = emitPtx(program.function(), program.target);
  ASSERT_TRUE(!!image) << llvm::toString(image.takeError());
  auto made = tool->assemble(*image, "sm_90a");
  ASSERT_TRUE(!!made) << llvm::toString(made.takeError());
  EXPECT_EQ(made->report.spillBytes, 0);
  EXPECT_EQ(made->report.stackBytes, 0);
  for (const AssemblerNote &remark : made->report.remarks) ADD_FAILURE() << remark.text;
}

void placeTiles(mlir::PassManager &passes) {
  passes.addNestedPass<tile::KernelOp>(tile::createTileAssignShared({.target = "sm_90a"}));
}

TEST(Wgmma, EveryAtomAssembles) {
  for (const Atom &atom : kAtoms) {
    SCOPED_TRACE(fmt::format("{} {}{}", atom.instruction, atom.transposeA ? "T" : "N", atom.transposeB ? "T" : "N"));
    GpuProgram program(product(atom), "sm_90a", placeTiles);
    ASSERT_TRUE(program.lowered);
    std::string ptx = program.ptx();
    EXPECT_EQ(countOf(ptx, atom.instruction), atom.count);
    EXPECT_EQ(countOf(ptx, "wgmma.mma_async"), atom.count);
    EXPECT_EQ(countOf(ptx, "wgmma.fence"), 1u);
    EXPECT_EQ(countOf(ptx, "wgmma.commit_group"), 1u);
    expectCleanAssembly(program);
  }
}

TEST(Wgmma, IntegersMayBeUnsigned) {
  const Atom atom{"i8", "i32", 64, 32, 64, false, true, false, "m64n32k32.s32.u8.u8", 2};
  std::string text = product(atom);
  size_t at = text.find("%p = tile.wgmma ");
  text.insert(text.find("%as", at) + 3, " unsigned");
  text.insert(text.find("transpose", at) + 9, " unsigned");
  GpuProgram program(text, "sm_90a", placeTiles);
  ASSERT_TRUE(program.lowered) << text;
  EXPECT_EQ(countOf(program.ptx(), atom.instruction), atom.count);
  expectCleanAssembly(program);
}

/// What orders threads is convergent: LLVM may not make it depend on more conditions than it has.
TEST(Wgmma, WaitsAndProductsAreConvergent) {
  std::string ir = GpuProgram(product(kAtoms[1]), "sm_90a", placeTiles).llvmIr();
  size_t at = ir.find("attributes #");
  ASSERT_NE(at, std::string::npos);
  for (const char *text : {"mbarrier.try_wait", "wgmma.mma_async", "wgmma.wait_group", "wgmma.fence", "mbarrier.arrive",
                           "cp.async.bulk.tensor"}) {
    size_t call = ir.find(text);
    ASSERT_NE(call, std::string::npos) << text;
    std::string line = ir.substr(call, ir.find('\n', call) - call), attributes = line.substr(line.rfind('#'));
    size_t group =
        ir.find("attributes " + attributes.substr(0, attributes.find_first_not_of("#0123456789")) + " =", at);
    ASSERT_NE(group, std::string::npos) << text;
    EXPECT_NE(ir.substr(group, ir.find('\n', group) - group).find("convergent"), std::string::npos) << text;
  }
}

/// A cluster's CTAs share an operand; distributed shared memory; runs of bytes; dependent launches.
TEST(Clusters, Assemble) {
  GpuProgram program(R"(
!T = !tile.shared<128xf32>
!V = tensor<128xf32, #tile.blocked<vec = 1, threads = 128>>
!Half = !tile.shared<32x64xbf16, swizzle = 128>
!Whole = !tile.shared<64x64xbf16, swizzle = 128>
!M = !tile.global<64x64xbf16>
tile.kernel @k(%x: !tile.global<4096xf32>, %y: !tile.global<4096xf32>, %m: !M, %n: index, %s: f32) grid 8 cluster 2 threads 128 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %both = arith.constant 3 : i16
  tile.grid_wait
  %runs = tile.alloc_ring readers 1 : !tile.ring<2 x !T>
  %shared = tile.alloc_ring readers 1 multicast : !tile.ring<2 x !Whole>
  %out = tile.alloc : !T
  %rank = tile.cluster_rank
  %row = arith.muli %rank, %c32 : index
  tile.fill %runs[%c0] {
  ^slot(%t: !T, %full: !tile.mbarrier):
    tile.bulk_load %x[%n] count %n, %t signal %full : !tile.global<4096xf32>, !T
  } : !tile.ring<2 x !T>
  tile.fill %shared[%c0] {
  ^slot(%t: !Whole, %full: !tile.mbarrier):
    %half = tile.subtile %t[%row, %c0] : !Whole -> !Half
    tile.tma_load %m[%row, %c0], %half signal %full multicast %both : !M, !Half
  } : !tile.ring<2 x !Whole>
  %a = tile.ring_wait %runs[%c0] : !tile.ring<2 x !T> -> !T
  %v = tile.load %a[%c0] : !T -> !V
  tile.barrier
  tile.ring_release %runs[%c0] : !tile.ring<2 x !T>
  %w = tile.ring_wait %shared[%c0] : !tile.ring<2 x !Whole> -> !Whole
  tile.tma_store %w, %m[%c0, %c0] add : !Whole, !M
  tile.tma_store_wait 0
  tile.ring_release %shared[%c0] : !tile.ring<2 x !Whole>
  %vs = tile.splat %s : f32 -> !V
  %u = arith.mulf %v, %vs : !V
  tile.store %u, %out[%c0] : !V, !T
  tile.cluster_barrier
  %other = arith.xori %rank, %c1 : index
  %there = tile.remote %out at %other : !T -> !tile.remote<!T>
  %z = tile.load %there[%c0] : !tile.remote<!T> -> !V
  tile.cluster_barrier
  tile.store %z, %out[%c0] : !V, !T
  tile.bulk_store %out, %y[%n] count %n : !T, !tile.global<4096xf32>
  tile.tma_store_wait 0
  tile.grid_release
  tile.return
})",
                     "sm_90a", placeTiles);
  ASSERT_TRUE(program.lowered);
  std::string ptx = program.ptx();
  for (const char *once :
       {".reqnctapercluster 2", "griddepcontrol.wait", "griddepcontrol.launch_dependents", "multicast::cluster",
        "cp.reduce.async.bulk.tensor.2d", "ld.shared::cluster", "cp.async.bulk.shared::cluster.global.mbarrier",
        "cp.async.bulk.global.shared::cta", "mbarrier.complete_tx"})
    EXPECT_EQ(countOf(ptx, once), 1u) << once;
  expectCleanAssembly(program);
}

/// On other targets an op says what has it.
TEST(Wgmma, OtherTargetsRefuse) {
  for (const char *target : {"sm_80", "sm_100a"}) {
    GpuProgram program(
        "tile.kernel @k() grid 1 threads 256 {\n tile.specialize producer registers 40 {\n} consumers 1 registers "
        "200 {\n^consumer(%g: index):\n}\n tile.return\n}",
        target);
    EXPECT_FALSE(program.lowered) << target;
    EXPECT_NE(program.diagnostics.find("the first target that can is sm_90a"), std::string::npos)
        << program.diagnostics;
  }
}

} // namespace
