/// The smallest whole program: write a graph, compile it, read what fusion did, run it. sin(x)² + cos(x)² reads x once
/// and writes once, in one kernel, and sin and cos share their range reduction.

#include <kiln/Compiler.h>
#include <kiln/Error.h>
#include <kiln/Ops.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

int main() {
  try {
    kiln::Graph g;
    kiln::Tensor x = g.input("x", {1000, 1001});
    kiln::Tensor s = sin(x), c = cos(x);
    g.output("y", s * s + c * c);
    std::printf("As written:\n%s\n", g.mlir().c_str());

    kiln::Executable program = kiln::compile(g, {.keepIr = true});
    std::printf("After fusion:\n%s\n", program.ir("fused").c_str());
    std::printf("%s\n", program.report().table().c_str());

    kiln::HostTensor input = kiln::HostTensor::randomNormal({1000, 1001}, kiln::f32, /*seed=*/1);
    kiln::HostTensor y = program.run({{"x", input}}).at("y");
    double worst = 0;
    for (int64_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(y.get(i) - 1));
    std::printf("largest |y - 1|: %.3g\n", worst);

    // Two functions within 2 ulp each, squared and added: a few units of 2^-24 in all.
    const bool oneKernel = program.report().kernels.size() == 1 && program.report().launches.size() == 1;
    return oneKernel && worst < 1e-6 ? 0 : static_cast<int>(kiln::ErrorCode::WrongResult);
  } catch (const kiln::Error &e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return static_cast<int>(e.code);
  }
}
