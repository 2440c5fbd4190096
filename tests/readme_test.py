#!/usr/bin/env python3
"""What README.md shows is so: the program is the example's text, the IR is what the example prints.

    readme_test.py KILN_LINEAR_GELU
"""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = sys.argv.pop()


def blocks(language):
    """The fenced blocks of README.md in `language`."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)


def plain(ir):
    """IR without line breaks, and without a kernel's name and schedule, which differ from machine to machine."""
    ir = re.sub(r' attributes \{schedule = [^\n]*, symbol = "\w+"\}', "", ir)
    return " ".join(ir.split())


def dump(level):
    done = subprocess.run([PROGRAM, "dump", "--level", level], capture_output=True, check=True, text=True)
    return done.stdout


class Readme(unittest.TestCase):
    def test_the_program_is_the_example(self):
        self.assertEqual(blocks("cpp"), [(ROOT / "examples/linear_gelu/main.cpp").read_text()])

    def test_the_ir_is_what_the_example_prints(self):
        self.assertEqual([plain(block) for block in blocks("mlir")], [plain(dump("source")), plain(dump("fused"))])

    def test_links_and_named_files_exist(self):
        text = (ROOT / "README.md").read_text()
        for name in re.findall(r"\]\(([^)]+)\)", text) + re.findall(r"`((?:\w+/)+[\w.]+\.\w+)`", text):
            if not name.startswith(".build"):
                self.assertTrue((ROOT / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
