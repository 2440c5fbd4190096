#!/usr/bin/env python3
"""What Kiln's shared libraries export and need: what the public headers declare, and nothing else.

    exports_test.py CLANG LIBKILN LIBKILN_RUNTIME
"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDERS = [ROOT / "runtime", ROOT / "compiler"]
RUNTIME, KILN, CLANG = sys.argv.pop(), sys.argv.pop(), sys.argv.pop()
SYSTEM = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libdl.so.2", "libpthread.so.0", "librt.so.1"}
CXX = {"libstdc++.so.6", "libgcc_s.so.1"}
FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl"}


def declared(header):
    """The functions that a header declares with KILN_API."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / header).read_text(), flags=re.DOTALL)
    return set(re.findall(r"KILN_API [^;(]*?\b(kiln_\w+)\(", text))


def functions(node):
    """The mangled names of functions in a declaration of clang's that have their bodies elsewhere."""
    if node.get("kind") in FUNCTIONS:
        here = ("isImplicit", "inline", "explicitlyDefaulted", "explicitlyDeleted")
        body = any(inner.get("kind") == "CompoundStmt" for inner in node.get("inner", []))
        return set() if body or any(node.get(key) for key in here) else {node["mangledName"]}
    inner = [] if node.get("kind", "").endswith("TemplateDecl") else node.get("inner", [])
    return set().union(*map(functions, inner))


def declared_in_cxx():
    """The mangled names of what the C++ headers declare and do not define."""
    names = sorted(header.name for folder in FOLDERS for header in (folder / "kiln").glob("*.h"))
    command = [CLANG, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", *(f"-I{folder}" for folder in FOLDERS)]
    command += ["-Xclang", "-ast-dump=json", "-Xclang", "-ast-dump-filter=kiln::"]
    done = subprocess.run(command, input="".join(f"#include <kiln/{name}>\n" for name in names), text=True,
                          capture_output=True, check=True)
    text, decoder, found = done.stdout.strip(), json.JSONDecoder(), set()
    while text:
        node, end = decoder.raw_decode(text)
        found |= functions(node)
        text = text[end:].lstrip()
    return found


def exported(library):
    """The symbols that a library defines for others; a constructor, which has two, by the first."""
    done = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, check=True, text=True)
    return {re.sub("^(_ZN4kiln.*)C2E", r"\1C1E", line.split()[-1]) for line in done.stdout.splitlines()}


def needed(library):
    done = subprocess.run(["readelf", "-d", library], capture_output=True, check=True, text=True)
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout))


class Libraries(unittest.TestCase):
    def test_exports_are_the_headers(self):
        runtime, compiler = declared("runtime/kiln/kiln_runtime.h"), declared("compiler/kiln/kiln.h")
        cxx = declared_in_cxx()
        self.assertGreater(len(runtime), 20)
        self.assertGreater(len(compiler), 3)
        self.assertGreater(len(cxx), 100)
        self.assertEqual(exported(RUNTIME), runtime)
        # By the one class that is thrown, programs catch.
        error = {"_ZTIN4kiln5ErrorE", "_ZTSN4kiln5ErrorE", "_ZTVN4kiln5ErrorE"}
        self.assertEqual(exported(KILN), runtime | compiler | cxx | error)

    def test_nothing_of_other_libraries_is_exported(self):
        for library in (KILN, RUNTIME):
            for symbol in exported(library):
                self.assertNotRegex(symbol, r"(^|\d)(llvm|mlir|fmt|nlohmann|CLI)(\d|$)|^LLVM|^mlir")

    def test_only_the_system_is_needed(self):
        self.assertLessEqual(needed(RUNTIME), SYSTEM)
        # One C++ library with the program: exceptions and strings go across.
        self.assertLessEqual(needed(KILN), SYSTEM | CXX)
        self.assertIn("libstdc++.so.6", needed(KILN))

    def test_the_runtime_has_no_llvm(self):
        data = pathlib.Path(RUNTIME).read_bytes()
        self.assertNotIn(b"LLVM ERROR", data)
        self.assertIn(b"LLVM ERROR", pathlib.Path(KILN).read_bytes())
        self.assertLess(len(data), 4 << 20)


if __name__ == "__main__":
    unittest.main()
