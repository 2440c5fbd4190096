// What the interpreter of thread-level functions sees: each function here does one thing that hardware may let pass.
#include "tests/numeric/threads/Machine.h"

#include "ir/ptx/Ptx.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln::numeric;

namespace {

/// The fault of a kernel of 64 threads with 256 bytes of shared memory and two arguments of 256 bytes; "" if it has
/// none.
std::string faultOf(const std::string &body) {
  DialectRegistry registry;
  registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, kiln::ptx::PtxDialect>();
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(R"(
    llvm.mlir.global external @kiln_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    llvm.func @k(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64, 1, 1>, ptx.shared_bytes = 256 : i64} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %c1 = llvm.mlir.constant(1 : i32) : i32
      %c31 = llvm.mlir.constant(31 : i32) : i32
      %c63 = llvm.mlir.constant(63 : i32) : i32
      %last = llvm.icmp "eq" %t, %c63 : i32
      %other = llvm.sub %c63, %t : i32
      %s = llvm.mlir.addressof @kiln_shared : !llvm.ptr<3>
      %mine = llvm.getelementptr %s[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %theirs = llvm.getelementptr %s[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
      %wide = llvm.zext %t : i32 to i64
      %xt = llvm.getelementptr %x[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
      %yt = llvm.getelementptr %y[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
    )" + body + "\nllvm.return\n}",
                                            &context);
  if (!module) return "does not parse";
  std::vector<std::byte> x(256), y(256);
  try {
    threads::Machine machine(*module->getOps<LLVM::LLVMFuncOp>().begin(), {x, y});
    machine.run(0);
  } catch (const threads::Fault &fault) {
    return fault.what();
  }
  return "";
}

TEST(ThreadPrograms, WhatIsRightHasNoFault) {
  EXPECT_EQ(faultOf(R"(
    %v = llvm.load %xt invariant : !llvm.ptr<1> -> i32
    llvm.store %v, %mine : i32, !llvm.ptr<3>
    nvvm.barrier0
    %w = llvm.load %theirs : !llvm.ptr<3> -> i32
    llvm.store %w, %yt : i32, !llvm.ptr<1>)"),
            "");
}

TEST(ThreadPrograms, FaultsAreSeen) {
  const std::pair<const char *, const char *> cases[] = {
      {"llvm.store %t, %mine : i32, !llvm.ptr<3>\n%v = llvm.load %theirs : !llvm.ptr<3> -> i32",
       "before it is written"},
      {"llvm.store %t, %mine : i32, !llvm.ptr<3>\nnvvm.barrier0\nllvm.store %t, %theirs : i32, !llvm.ptr<3>\n"
       "%v = llvm.load %mine : !llvm.ptr<3> -> i32",
       "without a barrier"},
      {"%p = llvm.getelementptr %yt[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\nllvm.store %t, %p : i32, !llvm.ptr<1>",
       "byte 259 of argument 1"},
      {"%v:2 = ptx.load %xt if %last : !llvm.ptr<1> -> i32, i32", "an access of 8 bytes at byte 252"},
      {"%v = llvm.load %xt invariant : !llvm.ptr<1> -> i32\nllvm.store %v, %xt : i32, !llvm.ptr<1>", "read-only"},
      {"%n = llvm.sub %t, %c31 overflow<nuw> : i32", "llvm.sub overflows on 0x0 and 0x1f"},
      {"llvm.cond_br %last, ^a, ^b\n^a:\nllvm.br ^b\n^b:", "parts the threads of a warp"},
      {"%w = llvm.icmp \"ugt\" %t, %c31 : i32\nllvm.cond_br %w, ^a, ^b\n^a:\nnvvm.barrier0\nllvm.br ^b\n^b:",
       "not every warp"},
      {"nvvm.cp.async.shared.global %mine, %xt, 4, cache = ca : !llvm.ptr<3>, "
       "!llvm.ptr<1>\nnvvm.cp.async.commit.group\n"
       "nvvm.barrier0\n%v = llvm.load %mine : !llvm.ptr<3> -> i32",
       "after the write by a copy"},
      {"nvvm.cp.async.shared.global %s, %x, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>", "after the write by a copy"},
  };
  for (auto [body, expected] : cases) {
    std::string fault = faultOf(body);
    EXPECT_NE(fault.find(expected), std::string::npos) << body << "\nfound: " << fault;
  }
}

} // namespace
