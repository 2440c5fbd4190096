// kiln-numeric [--target ROW [--interpret]] [GoogleTest's options]: the suite for a target of this machine, the
// processor's best without one. A gpu target runs on this machine's first GPU, or by the interpreter of tile programs.
#include "tests/numeric/KernelRunner.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <string_view>

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 4 && std::string_view(argv[3]) == "--interpret") {
    kiln::numeric::interpretsTiles() = true;
    --argc;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--target" && kiln::findTarget(argv[2])) {
    kiln::numeric::defaultTarget() = argv[2];
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: kiln-numeric [--target ROW [--interpret]] [--gtest_...]\nrows:");
    for (const std::string &name : kiln::targetNames()) std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 1;
  }
  return RUN_ALL_TESTS();
}
