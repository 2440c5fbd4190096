// The command line of every Kiln program: `kiln` reads graphs from files, a DSL program brings its own.
#pragma once

#include "kiln/Graph.h"

#include <functional>

namespace kiln {

/// The subcommands run, compile, dump, explain, devices and ops. With `build`, which fills an empty graph, they need no
/// file:
///
///   int main(int argc, char **argv) {
///     return kiln::main(argc, argv, [](kiln::Graph &g) { g.output("y", relu(g.input("x", {8, 8}))); });
///   }
///
/// Returns the exit code: 0 right, 1 usage, 2 invalid input, 3 no device, 4 wrong result, 5 internal. Throws nothing.
int main(int argc, char **argv, const std::function<void(Graph &)> &build = {});

} // namespace kiln
