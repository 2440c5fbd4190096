// Compiled alone, with no include path but the public ones: what a user's program sees. MLIR may not be among it.
#include <kiln/Compiler.h>
#include <kiln/Graph.h>
#include <kiln/Ops.h>

#if __has_include("mlir/IR/Value.h")
#error "this check is meaningless where MLIR's headers can be found"
#endif

kiln::Tensor publicHeadersSuffice(kiln::Graph &g) {
  kiln::Tensor x = g.input("x", {2, 3});
  return gelu(x + 1.0);
}
