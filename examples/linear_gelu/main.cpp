/// A linear layer with gelu and a residual is one kernel; `kiln::main` gives a program the `kiln` tool's subcommands:
///
///   kiln-linear-gelu dump            the IR after fusion
///   kiln-linear-gelu run --check     on random numbers, every kernel held to the interpreter
#include <kiln/Main.h>
#include <kiln/Ops.h>

void build(kiln::Graph &g) {
  kiln::Tensor x = g.input("x", {128, 384});
  kiln::Tensor r = g.input("r", {128, 1536});
  kiln::Tensor w = g.parameter("w", {384, 1536});
  kiln::Tensor b = g.parameter("b", {1536});
  g.output("y", gelu(matmul(x, w) + b) + r);
}

int main(int argc, char **argv) { return kiln::main(argc, argv, build); }
