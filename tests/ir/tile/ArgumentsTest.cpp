// The parameters of a kernel: what a program asks for, in order, and what its types tell.
#include "ir/tile/Arguments.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace kiln::tile;

namespace {

struct Program {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;

  explicit Program(const std::string &text) {
    context.loadDialect<TileDialect, arith::ArithDialect>();
    module = parseSourceString<ModuleOp>(text, &context);
  }
  KernelOp kernel() { return *module->getOps<KernelOp>().begin(); }
};

/// "buffer 0, extent M, stride 2.0, scalar 3, map 0 [128, 64] 128 256"
std::string spell(ArrayRef<KernelArgument> arguments) {
  using Kind = KernelArgument::Kind;
  std::vector<std::string> list;
  for (const KernelArgument &a : arguments) {
    if (a.kind == Kind::Buffer) list.push_back(fmt::format("buffer {}", a.argument));
    if (a.kind == Kind::Extent) list.push_back("extent " + a.name);
    if (a.kind == Kind::Stride) list.push_back(fmt::format("stride {}.{}", a.argument, a.dim));
    if (a.kind == Kind::Scalar) list.push_back(fmt::format("scalar {}", a.argument));
    if (a.kind == Kind::Map)
      list.push_back(
          fmt::format("map {} [{}] {} {}", a.map.argument, fmt::join(a.map.box, ", "), a.map.swizzle, a.map.l2));
  }
  return fmt::format("{}", fmt::join(list, "; "));
}

std::string argumentsOf(const std::string &signature, const std::string &body) {
  Program program(
      fmt::format("tile.kernel @k({}) grid 1 threads 128 {{\n  %c0 = arith.constant 0 : index\n{}\n  tile.return\n}}\n",
                  signature, body));
  if (!program.module) return "does not parse";
  auto arguments = kiln::tile::argumentsOf(program.kernel());
  auto again = argumentsFrom(toAttribute(arguments, &program.context));
  EXPECT_TRUE(succeeded(again) && *again == arguments);
  return spell(arguments);
}

const char *const kMatrices =
    "%a: !tile.global<?x?xbf16> {tile.dims = [\"M\", \"K\"]}, "
    "%b: !tile.global<?x64xbf16> {tile.dims = [\"K\", \"N\"]}, "
    "%c: !tile.global<?x?xf32, strides = [?, 1]> {tile.dims = [\"M\", \"N\"]}, %x: f32, %n: index";

TEST(KernelArguments, ArePointersAndScalarsWhereNothingElseIsAskedFor) {
  EXPECT_EQ(argumentsOf(kMatrices, ""), "buffer 0; buffer 1; buffer 2; scalar 3; scalar 4");
  EXPECT_EQ(argumentsOf("", ""), "");
}

TEST(KernelArguments, NamedExtentsComeInTheOrderOfTheArguments) {
  EXPECT_EQ(argumentsOf(kMatrices, "  %k = tile.extent \"K\"\n  %m = tile.extent \"M\"\n  %l = tile.extent \"K\""),
            "buffer 0; buffer 1; buffer 2; extent M; extent K; scalar 3; scalar 4");
}

TEST(KernelArguments, WhatATypeTellsIsNotPassed) {
  // N is 64 by b's type, for c as well.
  EXPECT_EQ(argumentsOf(kMatrices, "  %n64 = tile.extent \"N\""), "buffer 0; buffer 1; buffer 2; scalar 3; scalar 4");
  Program program(fmt::format("tile.kernel @k({}) grid 1 threads 128 {{\n  tile.return\n}}\n", kMatrices));
  EXPECT_EQ(knownExtent(program.kernel(), "N"), 64);
  EXPECT_EQ(knownExtent(program.kernel(), "M"), std::nullopt);
}

TEST(KernelArguments, StridesArePassedOrFollowFromExtents) {
  auto stride = [](const char *of, const char *type) {
    return argumentsOf(kMatrices, fmt::format("  %s = tile.stride {} : !tile.global<{}>", of, type));
  };
  EXPECT_EQ(stride("%a[0]", "?x?xbf16"), "buffer 0; buffer 1; buffer 2; extent K; scalar 3; scalar 4");
  EXPECT_EQ(stride("%a[1]", "?x?xbf16"), "buffer 0; buffer 1; buffer 2; scalar 3; scalar 4");
  EXPECT_EQ(stride("%b[0]", "?x64xbf16"), "buffer 0; buffer 1; buffer 2; scalar 3; scalar 4");
  EXPECT_EQ(stride("%c[0]", "?x?xf32, strides = [?, 1]"),
            "buffer 0; buffer 1; buffer 2; stride 2.0; scalar 3; scalar 4");
  EXPECT_EQ(stride("%c[1]", "?x?xf32, strides = [?, 1]"), "buffer 0; buffer 1; buffer 2; scalar 3; scalar 4");
  Program program(
      "tile.kernel @k(%a: !tile.global<?x4x?x8xf32> {tile.dims = [\"A\", \"B\", \"C\", \"D\"]}) grid 1 threads 32 {\n"
      "  tile.return\n}\n");
  StrideSource source = strideOf(program.kernel(), 0, 0);
  EXPECT_EQ(source.factor, 32);
  EXPECT_EQ(source.extents, (SmallVector<StringRef>{"C"}));
}

TEST(KernelArguments, CopiesOfRowsAskForExtentsAndTheStride) {
  EXPECT_EQ(
      argumentsOf(
          "%a: !tile.global<?x?xbf16, strides = [?, 1]> {tile.dims = [\"M\", \"K\"], tile.aligned = 8}",
          "  %t = tile.alloc : !tile.shared<16x32xbf16>\n"
          "  tile.async_load %a[%c0, %c0], %t : !tile.global<?x?xbf16, strides = [?, 1]>, !tile.shared<16x32xbf16>"),
      "buffer 0; extent M; extent K; stride 0.0");
}

TEST(KernelArguments, MapsAreDistinctRecipesInTheOrderOfTheirUse) {
  std::string body = "  %t = tile.alloc : !tile.shared<64x64xbf16, swizzle = 128>\n"
                     "  %p = tile.alloc : !tile.shared<64x128xbf16, swizzle = 128, panel = 64>\n"
                     "  %q = tile.alloc : !tile.shared<64x128xbf16>\n";
  auto add = [&](const char *tile, const char *to, const char *box, const char *type) {
    std::string shape = to[0] == 'c' ? "8x512x512xbf16" : "512x512xbf16";
    body += fmt::format("  tile.tma_store %{}, %{}[{}%c0, %c0]{} : !tile.shared<{}>, !tile.global<{}>\n", tile, to,
                        to[0] == 'c' ? "%c0, " : "", box, type, shape);
  };
  add("p", "b", "", "64x128xbf16, swizzle = 128, panel = 64"); // a copy per panel
  add("t", "a", "", "64x64xbf16, swizzle = 128");
  add("t", "b", "", "64x64xbf16, swizzle = 128"); // as the first
  add("q", "b", "", "64x128xbf16");
  add("t", "c", "", "64x64xbf16, swizzle = 128");
  add("t", "c", " box [64, 1, 64]", "64x64xbf16, swizzle = 128");
  body += "  tile.tma_store_wait 0";
  EXPECT_EQ(
      argumentsOf("%a: !tile.global<512x512xbf16>, %b: !tile.global<512x512xbf16>, %c: !tile.global<8x512x512xbf16>",
                  body),
      "buffer 0; buffer 1; buffer 2; map 1 [64, 64] 128 128; map 0 [64, 64] 128 128; map 1 [64, 128] 0 128; "
      "map 2 [1, 64, 64] 128 128; map 2 [64, 1, 64] 128 128");
}

TEST(KernelArguments, AMapIsOfWhatItsTensorIsTakenFor) {
  std::string body = "  %t = tile.alloc : !tile.shared<64x64xbf16, swizzle = 128>\n"
                     "  tile.tma_store %t, %a[%c0, %c0, %c0] as [\"floordiv(M, 8)\", \"8\", \"N\"] box [64, 1, 64] : "
                     "!tile.shared<64x64xbf16, swizzle = 128>, !tile.global<?x?xbf16>\n"
                     "  tile.tma_store %t, %a[%c0, %c0] as [\"floordiv(M, 8)\", \"8 * N\"] : "
                     "!tile.shared<64x64xbf16, swizzle = 128>, !tile.global<?x?xbf16>\n"
                     "  tile.tma_store_wait 0";
  Program program("tile.kernel @k(%a: !tile.global<?x?xbf16> {tile.dims = [\"M\", \"N\"]}) grid 1 threads 128 {\n"
                  "  %c0 = arith.constant 0 : index\n" +
                  body + "\n  tile.return\n}\n");
  SmallVector<KernelArgument> arguments = argumentsOf(program.kernel());
  ASSERT_EQ(arguments.size(), 3u) << "a pointer and two maps: the extents of a map are the launch's";
  EXPECT_EQ(arguments[1].map.view, (SmallVector<std::string>{"floordiv(M, 8)", "8", "N"}));
  EXPECT_EQ(arguments[1].map.box, (SmallVector<int64_t, 5>{64, 1, 64}));
  EXPECT_EQ(arguments[2].map.view, (SmallVector<std::string>{"floordiv(M, 8)", "8 * N"}));
  EXPECT_EQ(arguments[2].map.box, (SmallVector<int64_t, 5>{64, 64}));
  arguments[1].map.tf32 = true;
  auto again = argumentsFrom(toAttribute(arguments, program.kernel().getContext()));
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(*again, arguments);
}

TEST(KernelArguments, OtherAttributesAreNoList) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  for (const char *text : {"[{buffer = -1}]", "[{buffer = \"a\"}]", "{buffer = 0}", "[0]", "[{}]",
                           "[{stride = array<i64: 1>}]", "[{map = {argument = 0}}]", "[{map = 3}]",
                           "[{map = {argument = 0, box = array<i64: 8>, swizzle = 0, l2 = 0, view = [8]}}]"})
    EXPECT_TRUE(failed(argumentsFrom(parseAttribute(text, &context)))) << text;
  EXPECT_TRUE(failed(argumentsFrom(Attribute())));
  EXPECT_TRUE(succeeded(argumentsFrom(parseAttribute("[{extent = \"M\"}, {map = {argument = 0, box = array<i64: 1, 8>, "
                                                     "swizzle = 0, l2 = 128}}]",
                                                     &context))));
}

} // namespace
