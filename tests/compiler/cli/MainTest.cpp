// The command line: what it prints and which code it ends with, whatever it is given.
#include "kiln/Compiler.h"
#include "kiln/Error.h"
#include "kiln/Ops.h"
#include "runtime/files/Npy.h"
#include "runtime/files/Safetensors.h"
#include "tests/compiler/cli/MainKit.h"

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

using namespace kiln;
using namespace kiln::cli;

namespace {

TEST_F(Main, HelpTeaches) {
  EXPECT_EQ(kilnMain({"--help"}), 0);
  EXPECT_TRUE(printed("Exit codes"));
  EXPECT_EQ(kilnMain({"run", "--help"}), 0);
  EXPECT_TRUE(printed("kiln run m.mlir --input x=x.npy")) << out;
}

TEST_F(Main, UsageIsOne) {
  EXPECT_EQ(kilnMain({}), 1);
  EXPECT_EQ(kilnMain({"fly"}), 1);
  EXPECT_EQ(kilnMain({"run"}), 1);
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--speed"}), 1);
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--repeat", "0"}), 1);
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--input", "x"}), 1);
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--device", "abacus"}), 1);
  EXPECT_EQ(kilnMain({"dump", path("m.mlir"), "--level", "basement"}), 1);
  EXPECT_EQ(kilnMain({"dump", path("m.mlir"), "--json"}), 1); // IR has no JSON; --level plan is JSON
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--threads", "-1"}), 1);
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--threads", "100000"}), 1);
}

TEST_F(Main, RunReadsAndWritesFiles) {
  writeNpy(path("x.npy"), HostTensor::full({4, 8}, f32, 1));
  writeSafetensors(path("w.safetensors"), {{"w", HostTensor::full({8, 2}, f32, 0.5)}});
  ASSERT_EQ(kilnMain({"run", path("m.mlir"), "--input", "x=" + path("x.npy"), "--params", path("w.safetensors"),
                      "--output", "y=" + path("y.npy"), "--strict"}),
            0)
      << err;
  EXPECT_TRUE(bitEqual(readNpy(path("y.npy")), HostTensor::full({4, 2}, f32, 4)));
}

TEST_F(Main, RunDrawsWhatIsMissingBySeed) {
  ASSERT_EQ(kilnMain({"run", path("m.mlir")}), 0) << err;
  EXPECT_TRUE(printed("drawn at random, seed 1"));
  std::string first = out;
  EXPECT_EQ(kilnMain({"run", path("m.mlir")}), 0);
  EXPECT_EQ(out, first);
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--seed", "2"}), 0);
  EXPECT_NE(out, first);
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--strict"}), 2);
  EXPECT_TRUE(printed("--input x=file.npy"));
}

TEST_F(Main, FusionChangesNoBits) {
  ASSERT_EQ(kilnMain({"run", path("m.mlir"), "--output", "y=" + path("a.npy")}), 0);
  ASSERT_EQ(kilnMain({"run", path("m.mlir"), "--output", "y=" + path("b.npy"), "--no-fuse"}), 0);
  EXPECT_TRUE(bitEqual(readNpy(path("a.npy")), readNpy(path("b.npy"))));
}

TEST_F(Main, CheckSaysHowFarOffItIs) {
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--check"}), 0);
  EXPECT_TRUE(printed("1 of 1 kernel outputs within their bounds")) << out << err;
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--check", "--json"}), 0);
  EXPECT_TRUE(nlohmann::json::parse(out)["check"]["passed"].get<bool>());
}

TEST_F(Main, JsonParses) {
  for (auto [command, schema] : {std::pair("run", 1), std::pair("explain", 2)}) {
    ASSERT_EQ(kilnMain({command, path("m.mlir"), "--json"}), 0) << err;
    EXPECT_EQ(nlohmann::json::parse(out)["schema"], schema) << out;
  }
  for (const char *command : {"devices", "ops"}) {
    ASSERT_EQ(kilnMain({command, "--json"}), 0);
    EXPECT_TRUE(nlohmann::json::parse(out).is_array());
  }
  ASSERT_EQ(kilnMain({"dump", path("m.mlir"), "--level", "plan"}), 0);
  EXPECT_EQ(nlohmann::json::parse(out)["schema"], 2);
}

TEST_F(Main, DumpPrintsEveryLevel) {
  const std::pair<const char *, const char *> levels[] = {{"source", "func.func @main"}, {"graph", "graph.matmul"},
                                                          {"fused", "graph.kernel"},     {"tile", "tile.kernel"},
                                                          {"llvm", "llvm.func"},         {"plan", "\"steps\""}};
  for (auto [level, part] : levels) {
    EXPECT_EQ(kilnMain({"dump", path("m.mlir"), "--level", level}), 0) << err;
    EXPECT_TRUE(printed(part)) << level;
  }
  EXPECT_EQ(kilnMain({"dump", path("m.mlir"), "--dump-ir", path("steps")}), 0);
  EXPECT_TRUE(fs::exists(path("steps/00-graph-graph-verify.mlir")));
}

TEST_F(Main, OpsSayWhatTheyDo) {
  EXPECT_EQ(kilnMain({"ops"}), 0);
  EXPECT_TRUE(printed("graph.softmax"));
  EXPECT_TRUE(printed("max(x, 0), elementwise; NaN stays NaN"));
  EXPECT_FALSE(printed("arith.divsi")); // behind guards only
}

TEST_F(Main, BadFilesAreTwo) {
  write("torn.mlir", std::string(graphText).substr(0, 200));
  write("other.mlir", "func.func @other() { return }");
  write("bytes.mlir", std::string("ML\xefR\x07\x00junk", 10));
  write(
      "deep.mlir", "func.func @main(%x: " + [] {
        std::string tuples;
        for (int i = 0; i < 100000; ++i) tuples += "tuple<";
        return tuples;
      }());
  write("huge.mlir", "func.func @main(%x: tensor<4611686018427387904x4xf32>) -> tensor<4611686018427387904x4xf32> {\n"
                     "return %x : tensor<4611686018427387904x4xf32>\n}");
  write("empty.npy", "");
  write("bad.safetensors", "{not json}");
  writeNpy(path("wide.npy"), HostTensor({4, 9}, f32));
  const std::vector<std::vector<std::string>> cases = {
      {"run", path("nothing.mlir")},
      {"run", path("torn.mlir")},
      {"run", path("other.mlir")},
      {"run", path("m.mlir"), "--entry", "nope"},
      {"run", path("bytes.mlir")},
      {"run", KILN_SOURCE_DIR "/tests/compiler/cli/damaged-bytecode"}, // crashes MLIR's reader
      {"run", path("deep.mlir")},
      {"run", path("huge.mlir")},
      {"run", path("m.mlir"), "--input", "x=" + path("empty.npy")},
      {"run", path("m.mlir"), "--input", "x=" + path("wide.npy")},
      {"run", path("m.mlir"), "--input", "z=" + path("wide.npy")},
      {"run", path("m.mlir"), "--input", "x=" + path("nothing.npy")},
      {"run", path("m.mlir"), "--params", path("bad.safetensors")},
      {"run", path("m.mlir"), "--output", "q=" + path("q.npy")},
      {"run", path("m.mlir"), "--output", "y=" + path("no/such/folder/q.npy")},
      {"explain", path("torn.mlir")},
      {"dump", path("torn.mlir")},
      {"dump", path("m.mlir"), "--dump-ir", path("m.mlir") + "/x"},
  };
  for (const auto &arguments : cases) {
    EXPECT_EQ(kilnMain(arguments), 2) << arguments[1] << "\n" << err;
    EXPECT_EQ(err.find("internal"), std::string::npos) << err;
    EXPECT_EQ(out, "");
  }
}

/// `@main` from tensor<4x`dtype`> to the same, whose result is `%y`.
std::string graphOf(const std::string &dtype, const std::string &body, const std::string &attributes = "") {
  std::string type = "tensor<4x" + dtype + ">";
  return "func.func @main(%x: " + type + " {" + attributes + "}) -> " + type + " {\n" + body + "\nreturn %y : " + type +
         "\n}";
}

std::string repeated(const std::string &part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

TEST_F(Main, GraphsOutsideTheContractAreTwo) {
  const std::string copy = "%y = graph.reshape %x : tensor<4xf32> -> tensor<4xf32>";
  const std::pair<std::string, const char *> cases[] = {
      {graphOf("f32", "%c = arith.constant true\n%y = arith.select %c, %x, %x : tensor<4xf32>"), "found:    i1"},
      {graphOf("f32", "%y = arith.constant dense_resource<blob> : tensor<4xf32>"), "found:    dense_resource"},
      {graphOf("f32", "%y = arith.constant sparse<[[0], [2]], [1.0, 2.0]> : tensor<4xf32>"), "found:    sparse"},
      {graphOf("f32", "%y = arith.addf %x, %x fastmath<fast> : tensor<4xf32>"), "found:    fastmath<fast>"},
      {graphOf("i32", "%y = arith.addi %x, %x overflow<nsw> : tensor<4xi32>"), "found:    overflow<nsw>"},
      {graphOf("ui32", "%c = arith.constant dense<true> : tensor<4xi1>\n"
                       "%y = arith.select %c, %x, %x : tensor<4xi1>, tensor<4xui32>"),
       "found:    tensor<4xui32>"},
      {graphOf("f32", copy, "graph.name = \"\""), "a name must not be empty"},
      {graphOf("f32", copy, "graph.a = affine_map<(d0) -> (" + repeated("d0+", 100000) + "d0)>"), "1024"},
      {graphOf("f32", copy, "graph.a = affine_map<(d0) -> (" + repeated("d0 mod ", 100000) + "d0)>"), "1024"},
      {graphOf("f32", copy, "graph.a = affine_map<(d0) -> (" + repeated("-", 100000) + "d0)>"), "1024"},
  };
  for (const auto &[text, words] : cases) {
    write("case.mlir", text);
    EXPECT_EQ(kilnMain({"run", path("case.mlir")}), 2) << text.substr(0, 200) << "\n" << err;
    EXPECT_TRUE(printed(words)) << err;
    EXPECT_EQ(err.find("internal"), std::string::npos) << err;
  }
}

TEST_F(Main, ErrorsNameTheOpAndTheLine) {
  write("case.mlir", "func.func @main(%x: tensor<4x8xf32>, %w: tensor<9x2xf32>) -> tensor<4x2xf32> {\n"
                     "%y = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<9x2xf32>) -> tensor<4x2xf32>\n"
                     "return %y : tensor<4x2xf32>\n}");
  EXPECT_EQ(kilnMain({"run", path("case.mlir")}), 2);
  EXPECT_TRUE(printed("error: graph.matmul: ")) << err;
  EXPECT_TRUE(printed("case.mlir:2")) << err;
  write("case.mlir", "func.func @main(");
  EXPECT_EQ(kilnMain({"run", path("case.mlir")}), 2);
  EXPECT_TRUE(printed("error: " + path("case.mlir") + ": ")) << err; // no op to name
}

TEST_F(Main, AttributesOfArgumentsAndResultsAreKnown) {
  const std::string copy = "%y = graph.reshape %x : tensor<4xf32> -> tensor<4xf32>";
  const std::vector<std::vector<std::string>> cases = {
      {"graph.nmae = \"a\"", "graph.nmae: there is no such attribute here", "graph.name\n"},
      {"graph.parm", "graph.parm: there is no such attribute here", "graph.param\n"},
      {"graph.name = 3", "graph.name: a name is a string", "3 : i64"},
      {"graph.param = \"yes\"", "graph.param: the attribute takes no value", "graph.param = \"yes\""},
      {"graph.name = \"\\FF\"", "graph.name: a name must be UTF-8", "\"\\FF\""},
      {"graph.name = \"a=b\"", "graph.name: a name must not hold `=`", "\"a=b\""},
  };
  for (const auto &c : cases) {
    write("case.mlir", graphOf("f32", copy, c[0]));
    EXPECT_EQ(kilnMain({"run", path("case.mlir"), "--json"}), 2) << c[0] << "\n" << err;
    EXPECT_TRUE(printed(c[1]) && printed(c[2]) && printed("case.mlir:1")) << err;
  }
  const std::string head = "func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {";
  const std::string tail = "}) {\nreturn %x : tensor<4xf32>\n}";
  for (const char *attribute : {"graph.param", "graph.name = 3", "graph.name = \"\\FF\"", "graph.name = \"a=b\""}) {
    write("case.mlir", head + attribute + tail);
    EXPECT_EQ(kilnMain({"run", path("case.mlir")}), 2) << attribute;
    EXPECT_TRUE(printed("case.mlir:2")) << err;
  }
}

TEST_F(Main, ParametersOfAFileAreAllThere) {
  writeSafetensors(path("w.safetensors"),
                   {{"far", HostTensor({8, 2}, f32)}, {"w0", HostTensor({8, 2}, f32)}, {"zzz", HostTensor({1}, f32)}});
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--params", path("w.safetensors")}), 2);
  EXPECT_TRUE(printed("a tensor \"w\" of f32[8, 2]") && printed("\"w0\", the nearest")) << err;
  writeSafetensors(path("none.safetensors"), {});
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--params", path("none.safetensors")}), 2);
  EXPECT_FALSE(printed("nearest")) << err;
}

TEST_F(Main, FilesAreGivenOnce) {
  writeNpy(path("x.npy"), HostTensor({4, 8}, f32));
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--input", "x=" + path("x.npy"), "--input", "x=" + path("x.npy")}), 1);
  EXPECT_TRUE(printed("\"x\" must be given once")) << err;
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--output", "y=" + path("a.npy"), "--output", "y=" + path("b.npy")}), 1);
  EXPECT_FALSE(fs::exists(path("a.npy")) || fs::exists(path("b.npy")));
}

TEST_F(Main, SummariesOfIntegersAreExact) {
  write("case.mlir", graphOf("i64", "%y = arith.constant dense<[9007199254740993, 9007199254740993, 0, "
                                    "-9223372036854775808]> : tensor<4xi64>"));
  ASSERT_EQ(kilnMain({"run", path("case.mlir")}), 0) << err;
  EXPECT_TRUE(printed("9007199254740993 9007199254740993 0 -9223372036854775808  (min -9223372036854775808,")) << out;
  ASSERT_EQ(kilnMain({"run", path("case.mlir"), "--json"}), 0) << err;
  EXPECT_TRUE(printed("\"max\": 9007199254740993,")) << out;
  EXPECT_TRUE(printed("\"min\": -9223372036854775808,")) << out;
}

TEST_F(Main, SummariesOfInfinitiesAndOfNothing) {
  write("case.mlir",
        graphOf("f32", "%y = arith.constant dense<[0x7F800000, 0xFF800000, 0xFFC00000, 1.0]> : tensor<4xf32>"));
  ASSERT_EQ(kilnMain({"run", path("case.mlir")}), 0) << err;
  EXPECT_TRUE(printed(": inf -inf nan 1  (min -inf, mean nan, max inf)  1 NaN")) << out;
  ASSERT_EQ(kilnMain({"run", path("case.mlir"), "--json"}), 0) << err;
  EXPECT_EQ(nlohmann::json::parse(out)["outputs"]["y"]["mean"], "nan");
  write("case.mlir", "func.func @main(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {\nreturn %x : tensor<0x4xf32>\n}");
  ASSERT_EQ(kilnMain({"run", path("case.mlir")}), 0) << err;
  EXPECT_EQ(out, "y f32[0, 4]: empty\n");
  ASSERT_EQ(kilnMain({"run", path("case.mlir"), "--json"}), 0) << err;
  for (const char *key : {"min", "mean", "max"})
    EXPECT_TRUE(nlohmann::json::parse(out)["outputs"]["y"].at(key).is_null()) << out;
}

TEST_F(Main, SaysWhichCommandsThereAre) {
  EXPECT_EQ(kilnMain({"explian"}), 1);
  EXPECT_TRUE(printed("explian: there is no such command")) << err;
  EXPECT_TRUE(printed("run, compile, dump, explain, devices, ops") && printed("hint:     explain\n")) << err;
  EXPECT_EQ(kilnMain({"fly"}), 1);
  EXPECT_FALSE(printed("hint")) << err;
  EXPECT_EQ(kilnMain({"--version"}), 0);
  EXPECT_TRUE(out.starts_with("kiln ") && std::isdigit(out[5])) << out;
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--repeat", "0"}), 1);
  EXPECT_LT(err.size(), 200u) << err;
}

TEST_F(Main, CommentsAndStringsMayHoldAnything) {
  std::string line = "// " + repeated("- + ( <", 2000) + "\n";
  write("quiet.mlir", line + graphOf("f32", line + "%y = math.exp %x : tensor<4xf32>",
                                     "func.note = \"" + repeated("((-", 2000) + "\""));
  EXPECT_EQ(kilnMain({"run", path("quiet.mlir")}), 0) << err;
}

TEST_F(Main, SaysWhenNothingCanBePrinted) {
  std::fflush(stdout);
  int saved = ::dup(1), readOnly = ::open(path("m.mlir").c_str(), O_RDONLY);
  std::string self = "kiln", command = "dump", file = path("m.mlir");
  char *argv[] = {self.data(), command.data(), file.data()};
  ::testing::internal::CaptureStderr();
  ::dup2(readOnly, 1);
  int code = kiln::main(3, argv);
  ::dup2(saved, 1);
  ::close(saved), ::close(readOnly);
  EXPECT_EQ(code, 2);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("cannot be written"), std::string::npos);
}

TEST_F(Main, AbsentDeviceIsThree) {
  if (devices()[1].present) return; // a machine with a GPU has tests of its own
  EXPECT_EQ(kilnMain({"run", path("m.mlir"), "--device", "cuda"}), 3);
  EXPECT_TRUE(printed("the device is not present"));
  EXPECT_EQ(kilnMain({"devices"}), 0);
  EXPECT_TRUE(printed("cuda     absent: ")) << out;
}

TEST_F(Main, DslProgramsBringTheirGraph) {
  auto build = [](Graph &g) { g.output("y", relu(g.input("x", {3}))); };
  EXPECT_EQ(kilnMain({"run", "--check"}, build), 0) << err;
  EXPECT_EQ(kilnMain({"explain"}, build), 0) << err;
  auto wrong = [](Graph &g) { matmul(g.input("x", {3, 4}), g.input("w", {5, 6})); };
  EXPECT_EQ(kilnMain({"run"}, wrong), 2);
  EXPECT_TRUE(printed("MainTest.cpp:")) << err;
}

} // namespace
