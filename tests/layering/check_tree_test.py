#!/usr/bin/env python3
"""check_tree.py sees one planted violation of each kind, and nothing wrong in a small tree that is right."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_tree  # noqa: E402

ROOMS = ("runtime", "ir", "passes", "codegen", "compiler", "examples", "tests")

# A tree that keeps every rule, with every kind of include that is allowed.
GOOD = {
    **{f"{room}/README.md": "# a room\n" for room in ROOMS},
    "CMakeLists.txt": "project(kiln)\n",
    "runtime/kiln/DType.h": "#include <cstdint>\n",
    "runtime/Plan.h": '#include "kiln/DType.h"\n#include "runtime/Plan.h"\n#include <fmt/format.h>\n',
    "ir/Ops.h": '#include "runtime/Plan.h"\n#include "mlir/IR/Operation.h"\n',
    "ir/Ops.td": 'include "ir/Ops.td"\ninclude "mlir/IR/OpBase.td"\n',
    "passes/Fuse.cpp": '#include "passes/Fuse.h"\n#include "ir/Ops.h"\n#include "kiln/DType.h"\n',
    "passes/Fuse.h": "\n",
    "passes/Passes.td": 'def Fuse : Pass<"graph-fuse", "func::FuncOp"> {}\ndef B : Pass<"tile-two-words"> {}\n',
    "passes/deep/TileTwoWords.cpp": "\n",
    "tests/passes/fuse.mlir": "\n",
    "tests/passes/tile-two-words.mlir": "\n",
    "codegen/CpuLower.cpp": '#include "ir/Ops.h"\n#include "llvm/ADT/StringRef.h"\n',
    "compiler/kiln/Graph.h": '#include "kiln/DType.h"\n',
    "compiler/Main.cpp": '#include "codegen/Lower.h"\n#include "passes/Fuse.h"\nauto home = getenv("HOME");\n',
    "examples/one/main.cpp": '#include "Own.h"\n#include <kiln/Graph.h>\n#include "examples/one/Own.h"\n',
    "examples/one/Own.h": "\n",
    "passes/kernel/Form.h": '#include "passes/cost/Cost.h"\n',
    "passes/cost/Cost.h": "\n",
    "passes/graph/Pad.cpp": '#include "passes/kernel/Form.h"\n',
    "passes/tile/Rules.h": '#include "passes/graph/Pad.h"\n',
    "passes/other/Other.h": '#include "passes/plan/Plan.h"\n',
    "ir/tile/Tile.h": '#include "ir/layout/Map.h"\n',
    "ir/ptx/Ptx.h": '#include "ir/tile/Tile.h"\n',
    "passes/tile/Tile.h": '#include "passes/tile/cpu/Cpu.h"\n',
    "passes/tile/cpu/Cpu.h": '#include "passes/tile/Tile.h"\n',
    "passes/tile/gpu/Gpu.h": '#include "passes/tile/cpu/Cpu.h"\n',
    "runtime/host/Host.h": "#include <kiln/DType.h>\n",
    "tests/FuseTest.cpp": '#include "passes/Fuse.h"\n#include "compiler/Main.h"\n',
}

# (file, its content, the rule that is broken, a part of the message)
PLANTED = [
    ("runtime/Bad.cpp", '#include "ir/Ops.h"\n', "include", "runtime may not include ir"),
    ("runtime/Bad.cpp", '#include "llvm/ADT/StringRef.h"\n', "include", "no LLVM"),
    ("runtime/Bad.cpp", "#include <kiln/Graph.h>\n", "include", "runtime may not include compiler"),
    ("ir/Bad.h", '#include "passes/Fuse.h"\n', "include", "ir may not include passes"),
    ("ir/Bad.h", '  #  include "codegen/Lower.h"\n', "include", "ir may not include codegen"),
    ("ir/Bad.td", 'include "passes/Passes.td"\n', "include", "ir may not include passes"),
    ("passes/Bad.cpp", '#include "codegen/Lower.h"\n', "include", "passes may not include codegen"),
    ("passes/Bad.cpp", '#include "kiln/Graph.h"\n', "include", "passes may not include compiler"),
    ("codegen/Bad.cpp", '#include "passes/Fuse.h"\n', "include", "codegen may not include passes"),
    ("compiler/Bad.cpp", '#include "examples/one/Own.h"\n', "include", "compiler may not include examples"),
    ("compiler/Bad.cpp", '#include "tests/Kit.h"\n', "include", "compiler may not include tests"),
    ("compiler/kiln/Bad.h", '#include "mlir/IR/Value.h"\n', "include", "no LLVM"),
    ("examples/one/bad.cpp", '#include "runtime/Plan.h"\n', "include", "examples may not include runtime"),
    ("examples/one/bad.cpp", '#include "compiler/Main.h"\n', "include", "examples may not include compiler"),
    ("examples/one/bad.cpp", "#include <mlir/IR/Value.h>\n", "include", "no LLVM"),
    ("examples/one/bad.cpp", "#include <kiln/None.h>\n", "include", "no such public header"),
    ("passes/Bad.cpp", 'auto v = std::getenv("V");\n', "environment", ""),
    ("codegen/Passes.td", 'def Lost : Pass<"cpu-lower"> {}\n', "pass", "cpu-lower has no test"),
    ("util/Bad.cpp", "\n", "place", "util"),
    ("notes.txt", "\n", "place", "at the top"),
    ("ir/Bad.cpp", "\n" * 401, "length", "401"),
    ("ir/Bad.cpp", '// see /home/me/kiln\n', "word", "path"),
    ("passes/README.md", "/root/kiln\n", "word", "path"),
    ("ir/Bad.cpp", "// TODO: later\n", "word", "later"),
    ("ir/Bad.cpp", f"// fixes issue {12}\n", "word", "number"),
    ("tests/bad.py", "# from pypi.org\n", "word", "host"),
]

# (file, its content, a part of the message) of includes that close a circle or go against the order of folders
CIRCLES = [
    ("passes/cost/Bad.h", '#include "passes/kernel/Form.h"\n', "passes/cost > passes/kernel > passes/cost"),
    ("passes/graph/Bad.h", '#include "passes/tile/Rules.h"\n', "passes/graph > passes/tile > passes/graph"),
    ("ir/layout/Bad.h", '#include "ir/ptx/Ptx.h"\n', "ir/layout > ir/ptx > ir/tile > ir/layout"),
    ("passes/tile/cpu/Bad.h", '#include "passes/tile/gpu/deep/Deep.h"\n',
     "passes/tile/cpu > passes/tile/gpu > passes/tile/cpu"),
    ("runtime/kiln/Bad.h", '#include "runtime/host/Host.h"\n', "runtime/kiln > runtime/host > runtime/kiln"),
    ("passes/kernel/Bad.h", '#include "passes/plan/Plan.h"\n', "passes/kernel comes before passes/plan"),
    ("passes/functions/Bad.h", '#include "passes/cost/Cost.h"\n', "passes/functions comes before passes/cost"),
    ("ir/layout/Bad.td", 'include "ir/tile/Tile.td"\n', "ir/layout > ir/tile > ir/layout"),
]


def check(files):
    """The violations in a tree of the given files."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return check_tree.check_tree(root)


class CheckTree(unittest.TestCase):
    def test_nothing_wrong_in_a_good_tree(self):
        self.assertEqual(check(GOOD), [])

    def test_each_planted_violation_is_reported_and_nothing_else(self):
        for name, content, rule, message in PLANTED:
            with self.subTest(file=name, content=content[:40]):
                found = check({**GOOD, name: content})
                self.assertEqual([(f[0], f[2]) for f in found], [(name, rule)])
                self.assertIn(message, found[0][3])

    def test_each_circle_of_folders_is_reported(self):
        for name, content, message in CIRCLES:
            with self.subTest(file=name):
                found = check({**GOOD, name: content})
                self.assertEqual({f[2] for f in found}, {"circle"})
                self.assertIn((name, True), [(f[0], message in f[3]) for f in found])

    def test_a_pass_without_its_file(self):
        found = check({name: content for name, content in GOOD.items() if name != "passes/Fuse.cpp"})
        self.assertEqual([(f[0], f[2]) for f in found], [("passes/Passes.td", "pass")])
        self.assertIn("graph-fuse has no Fuse.cpp", found[0][3])

    def test_a_room_without_a_readme(self):
        found = check({name: content for name, content in GOOD.items() if name != "ir/README.md"})
        self.assertEqual([(f[0], f[2]) for f in found], [("ir/README.md", "readme")])


if __name__ == "__main__":
    unittest.main()
