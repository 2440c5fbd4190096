#!/usr/bin/env python3
"""The programs of examples/tile, their steps and their variants, interpreted: each ends, with the same bits each time.

    run_test.py KILN_RUN_PROGRAMS
"""

import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import variants

RUN = sys.argv.pop()
PROGRAMS = sorted(variants.PROGRAMS.glob("*.mlir")) + sorted(variants.PROGRAMS.glob("steps/*.mlir"))


class Runs(unittest.TestCase):
    def all_end(self, paths):
        for target, chosen in (("sm_80", [p for p in paths if "sm80" in p.name]),
                               ("sm_90a", [p for p in paths if "sm80" not in p.name])):
            done = subprocess.run([RUN, "--target", target, *chosen], capture_output=True, text=True)
            said = dict(line.split(" ", 1) for line in done.stdout.splitlines() if line.startswith("/"))
            for path in chosen:
                with self.subTest(path.stem):
                    self.assertEqual(said.get(str(path)), "ends", done.stdout + done.stderr)

    def test_programs_and_steps_end(self):
        self.all_end(PROGRAMS)

    def test_variants_end(self):
        self.all_end([variants.file(name) for name in variants.RETILED | variants.OTHERS])


if __name__ == "__main__":
    unittest.main()
