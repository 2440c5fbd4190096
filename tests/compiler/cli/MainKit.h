// Runs the command line in this process, in a folder of its own: shared by the tests of the subcommands.
#ifndef KILN_TESTS_COMPILER_CLI_MAINKIT_H
#define KILN_TESTS_COMPILER_CLI_MAINKIT_H

#include "kiln/Main.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>

namespace kiln::cli {

namespace fs = std::filesystem;

inline const char *const graphText =
    R"(func.func @main(%x: tensor<4x8xf32> {graph.name = "x"}, %w: tensor<8x2xf32> {graph.name = "w", graph.param})
    -> (tensor<4x2xf32> {graph.name = "y"}) {
  %y = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
)";

class Main : public ::testing::Test {
protected:
  void SetUp() override {
    std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder = fs::temp_directory_path() / ("kiln-main-" + test);
    fs::remove_all(folder);
    fs::create_directories(folder);
    write("m.mlir", graphText);
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string path(const std::string &name) const { return folder / name; }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  /// Runs the command line; `out` and `err` are what it printed.
  int kilnMain(std::vector<std::string> arguments, const std::function<void(Graph &)> &build = {}) {
    arguments.insert(arguments.begin(), "kiln");
    std::vector<char *> argv;
    for (std::string &argument : arguments) argv.push_back(argument.data());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    int code = kiln::main(static_cast<int>(argv.size()), argv.data(), build);
    std::fflush(stdout);
    out = ::testing::internal::GetCapturedStdout();
    err = ::testing::internal::GetCapturedStderr();
    return code;
  }
  bool printed(const std::string &part) const { return (out + err).find(part) != std::string::npos; }

  fs::path folder;
  std::string out, err;
};

} // namespace kiln::cli

#endif
