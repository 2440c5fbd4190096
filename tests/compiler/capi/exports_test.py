#!/usr/bin/env python3
"""What Kiln's shared libraries export and need.

    exports_test.py LIBKILN LIBKILN_RUNTIME
"""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
RUNTIME, KILN = sys.argv.pop(), sys.argv.pop()
SYSTEM = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libdl.so.2", "libpthread.so.0", "librt.so.1"}


def declared(header):
    """The functions that a header declares with KILN_API."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / header).read_text(), flags=re.DOTALL)
    return set(re.findall(r"KILN_API [^;(]*?\b(kiln_\w+)\(", text))


def exported(library):
    done = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, check=True, text=True)
    return {line.split()[-1] for line in done.stdout.splitlines()}


def needed(library):
    done = subprocess.run(["readelf", "-d", library], capture_output=True, check=True, text=True)
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout))


class Libraries(unittest.TestCase):
    def test_exports_are_the_headers(self):
        runtime, compiler = declared("runtime/kiln/kiln_runtime.h"), declared("compiler/kiln/kiln.h")
        self.assertGreater(len(runtime), 20)
        self.assertGreater(len(compiler), 3)
        self.assertEqual(exported(RUNTIME), runtime)
        self.assertEqual(exported(KILN), runtime | compiler)

    def test_only_the_system_is_needed(self):
        for library in (KILN, RUNTIME):
            self.assertLessEqual(needed(library), SYSTEM, library)

    def test_the_runtime_has_no_llvm(self):
        data = pathlib.Path(RUNTIME).read_bytes()
        self.assertNotIn(b"LLVM ERROR", data)
        self.assertIn(b"LLVM ERROR", pathlib.Path(KILN).read_bytes())
        self.assertLess(len(data), 4 << 20)


if __name__ == "__main__":
    unittest.main()
