// What goes between a program and libkiln.so: strings, vectors, functions, exceptions; then `kiln::main`.
#include <kiln/Compiler.h>
#include <kiln/CustomKernel.h>
#include <kiln/Main.h>
#include <kiln/Ops.h>
#include <kiln/Version.h>

#include <cstdio>
#include <stdexcept>

namespace {

void build(kiln::Graph &g) { g.output("y", gelu(g.input("x", {8, 8}) + 1.0)); }

const char *const twice = R"(
tile.kernel @twice(%x: !tile.global<16x4xf32> {tile.name = "x"}, %y: !tile.global<16x4xf32> {tile.name = "y"}) grid 4 {
  %c16 = arith.constant 16 : index
  %cta = tile.cta_id
  %at = arith.muli %cta, %c16 : index
  %a = tile.load %x[%at] : !tile.global<16x4xf32> -> tensor<16xf32, #tile.simd>
  %b = arith.addf %a, %a : tensor<16xf32, #tile.simd>
  tile.store %b, %y[%at] : tensor<16xf32, #tile.simd>, !tile.global<16x4xf32>
  tile.return
}
)";

/// Kiln's exception, thrown in its library, is caught by its type, with all it says.
bool errorIsCaught() {
  try {
    kiln::Graph g;
    matmul(g.input("a", {2, 3}), g.input("b", {4, 5}));
  } catch (const kiln::Error &e) {
    std::printf("caught: %s\n", e.what());
    return e.code == kiln::ErrorCode::InvalidInput && e.op == "matmul" && e.where.line > 0;
  }
  return false;
}

/// An exception of the program's own passes through the library that called its function.
bool ownExceptionPasses() {
  kiln::Graph g;
  kiln::CustomKernel kernel{.source = twice};
  kernel.reference = [](const std::vector<kiln::Tensor> &) -> std::vector<kiln::Tensor> {
    throw std::runtime_error("mine");
  };
  try {
    customKernel(kernel, {g.input("x", {16, 4})});
  } catch (const std::runtime_error &e) {
    return std::string(e.what()) == "mine";
  }
  return false;
}

bool computes() {
  kiln::Graph g;
  kiln::Tensor x = g.input("x", {4});
  g.output("y", x * 2.0);
  kiln::Executable executable = compile(g);
  kiln::NamedTensors outputs = executable.run({{"x", kiln::HostTensor::of({4}, kiln::f32, {1, 2, 3, 4})}});
  return outputs.at("y").data<float>()[3] == 8 && executable.report().table().find("pointwise") != std::string::npos;
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1) return kiln::main(argc, argv, build);
  std::printf("Kiln %s\n", kiln::version());
  const bool caught = errorIsCaught(), passes = ownExceptionPasses(), right = computes();
  std::printf("error caught: %d, own exception passes: %d, computes: %d\n", caught, passes, right);
  return caught && passes && right ? 0 : 1;
}
