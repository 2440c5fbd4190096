// Machine code from PTX, where there is an assembler, and what its log says.
#include "codegen/ptx/Assemble.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace kiln;
using namespace kiln::codegen;

namespace {

CodeImage ptx(const std::string &body) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" + body + "}\n";
  return {.code = {text.begin(), text.end()}, .symbol = "k", .target = "sm_80", .threads = 32};
}

std::shared_ptr<const Assembler> assembler() {
  auto found = Assembler::find();
  if (found) return *found;
  llvm::consumeError(found.takeError());
  return nullptr;
}

TEST(AssemblerLog, IsRead) {
  AssembleReport report = readAssemblerLog(
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas info    : Function properties for k\n"
      "    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : (C7511) Potential Performance Loss: wgmma is serialized in function 'k'\n"
      "ptxas info    : Used 168 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem\n");
  EXPECT_EQ(report.registers, 168);
  EXPECT_EQ(report.stackBytes, 16);
  EXPECT_EQ(report.spillBytes, 20);
  EXPECT_EQ(report.sharedBytes, 1024);
  ASSERT_EQ(report.remarks.size(), 1u);
  EXPECT_NE(report.remarks[0].text.find("C7511"), std::string::npos);
}

TEST(AssemblerLog, ALineOfPtxIsALineOfTheSource) {
  const char *ptx = ".entry k()\n{\n  .loc 1 7 3\n  mov.u32 %r1, 0;\n  .loc 2 30 5\n  ret;\n}\n"
                    "  .file 1 \"there/a.mlir\"\n  .file 2 \"b.mlir\"\n";
  AssembleReport report = readAssemblerLog("ptxas k.ptx, line 4; info : (C7510) slow\n"
                                           "ptxas k.ptx, line 6; info : (C7510) slow\n"
                                           "ptxas k.ptx, line 1; info : (C7510) slow\n",
                                           ptx);
  ASSERT_EQ(report.remarks.size(), 3u);
  EXPECT_TRUE(report.remarks[0].file == "there/a.mlir" && report.remarks[0].line == 7);
  EXPECT_TRUE(report.remarks[1].file == "b.mlir" && report.remarks[1].line == 30);
  EXPECT_EQ(report.remarks[2].line, 0) << "nothing says where the first line is from";
}

TEST(Assemble, GivesMachineCodeAndItsCost) {
  auto tool = assembler();
  if (!tool) GTEST_SKIP() << "no assembler on this machine";
  for (const char *target : {"sm_80", "sm_90a"}) {
    auto made = tool->assemble(ptx("  ret;\n"), target);
    ASSERT_TRUE(!!made) << llvm::toString(made.takeError());
    EXPECT_EQ(made->image.format, CodeImage::Format::Cubin);
    EXPECT_EQ(made->image.target, target);
    ASSERT_GT(made->image.code.size(), 4u);
    EXPECT_EQ(std::memcmp(made->image.code.data(), "\177ELF", 4), 0);
    EXPECT_GT(made->report.registers, 0);
    EXPECT_EQ(made->report.spillBytes, 0);
  }
}

TEST(Assemble, SaysWhatIsWrongWithBadPtx) {
  auto tool = assembler();
  if (!tool) GTEST_SKIP() << "no assembler on this machine";
  auto made = tool->assemble(ptx("  frobnicate.s32 %r1;\n"));
  ASSERT_FALSE(!!made);
  std::string words = llvm::toString(made.takeError());
  EXPECT_NE(words.find("'k'"), std::string::npos) << words;
  EXPECT_NE(words.find("frobnicate"), std::string::npos) << words;
  EXPECT_FALSE(!!tool->assemble(ptx("  ret;\n"), "sm_1")) << "no such target";
}

} // namespace
