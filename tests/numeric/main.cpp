// kiln-numeric [--target ROW [--interpret [--threads]]] [--part I/N] [GoogleTest's options]: the suite for a target of
// this machine, the processor's best without one. A gpu target runs on this machine's first GPU, or by an interpreter
// of tile programs or of threads.
#include "tests/numeric/KernelRunner.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <gtest/gtest.h>

using namespace kiln::numeric;

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  CLI::App app("The numeric suite.");
  app.add_option("--target", defaultTarget(), "A row of ir/target")
      ->check(CLI::IsMember(kiln::targetNames()))
      ->capture_default_str();
  app.add_flag("--interpret", interpretsTiles(), "Interpret tile programs instead of running code");
  app.add_flag("--threads", interpretsThreads(), "Interpret what every thread does, not the tile programs")
      ->needs("--interpret");
  std::string which;
  app.add_option("--part", which, "I/N: the cases whose number leaves I by N");
  CLI11_PARSE(app, argc, argv);
  unsigned long index = 0, count = 1;
  if (!which.empty() && (std::sscanf(which.c_str(), "%lu/%lu", &index, &count) != 2 || index >= count)) {
    std::fprintf(stderr, "--part takes I/N with I < N, not %s\n", which.c_str());
    return 1;
  }
  part() = {index, count};
  return RUN_ALL_TESTS();
}
