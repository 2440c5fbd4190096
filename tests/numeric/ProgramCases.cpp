// Tile programs called from graphs: between kernels, twice on other shapes, of several results, on every dtype.
#include "tests/numeric/OpCases.h"

#include <kiln/CustomKernel.h>

#include <fmt/format.h>
#include <regex>

using namespace kiln;
using namespace kiln::numeric;

namespace {

/// Two tensors change places; T stands for the type as MLIR spells it.
constexpr const char *kSwap = R"(
tile.kernel @swap(%x: !tile.global<16xT>, %y: !tile.global<16xT>, %p: !tile.global<16xT>, %q: !tile.global<16xT>) grid 1 {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.global<16xT> -> tensor<16xT, #tile.simd>
  %b = tile.load %y[%c0] : !tile.global<16xT> -> tensor<16xT, #tile.simd>
  tile.store %b, %p[%c0] : tensor<16xT, #tile.simd>, !tile.global<16xT>
  tile.store %a, %q[%c0] : tensor<16xT, #tile.simd>, !tile.global<16xT>
  tile.return
}
)";

std::vector<Tensor> swapped(DType dtype, const Tensor &x, const Tensor &y) {
  std::string element = dtype == boolean ? "i1" : std::string(name(dtype));
  CustomKernel kernel{.source = std::regex_replace(kSwap, std::regex("xT"), "x" + element)};
  kernel.orderClass = "moves";
  kernel.reference = [](const std::vector<Tensor> &operands) { return std::vector{operands[1], operands[0]}; };
  return customKernel(kernel, {x, y});
}

} // namespace

std::vector<OpCase> kiln::numeric::programCases() {
  std::vector<OpCase> cases;
  for (DType dtype : {f32, f16, bf16, i32, i64, boolean}) {
    auto add = [&](const char *what, std::function<void(Graph &)> build) {
      cases.push_back({fmt::format("program {} {}", what, name(dtype)), std::move(build)});
    };
    add("alone", [=](Graph &g) {
      std::vector<Tensor> r = swapped(dtype, g.input("x", {16}, dtype), g.input("y", {16}, dtype));
      g.output("p", r[0]);
      g.output("q", r[1]);
    });
    add("between views", [=](Graph &g) {
      Tensor x = g.input("x", {4, 8}, dtype);
      Tensor low = sliceAxis(reshape(x, {32}), 0, 0, 16), high = sliceAxis(reshape(transpose(x), {32}), 0, 16);
      std::vector<Tensor> r = swapped(dtype, low, high);
      g.output("low", low);
      g.output("y", transpose(reshape(concat({r[0], r[1]}, 0), {8, 4})));
    });
    add("of itself", [=](Graph &g) {
      Tensor x = g.input("x", {16}, dtype);
      std::vector<Tensor> once = swapped(dtype, x, x), twice = swapped(dtype, once[1], g.ones({16}, dtype));
      g.output("p", twice[0]);
      g.output("q", twice[1]);
    });
  }
  return cases;
}
