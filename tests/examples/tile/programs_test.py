#!/usr/bin/env python3
"""The programs of examples/tile, their steps and their variants are valid, short, and print back what they read.

    programs_test.py KILN_OPT
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import variants

KILN_OPT = sys.argv.pop()
PROGRAMS = sorted(variants.PROGRAMS.glob("*.mlir"))
STEPS = sorted(variants.PROGRAMS.glob("steps/*.mlir"))
# What the tile level makes of a program before its ops are lowered.
EXPAND = ["--pass-pipeline=builtin.module(tile.kernel(tile-expand),canonicalize,tile.kernel(tile-unroll))"]


def opt(text, *options):
    """(what kiln-opt prints, what it complains of)."""
    done = subprocess.run([KILN_OPT, *options], input=text, capture_output=True, text=True)
    return (done.stdout if done.returncode == 0 else None), done.stderr


def lines_of(text):
    """Lines that are neither blank nor a comment."""
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]


class Programs(unittest.TestCase):
    def each(self, texts, check):
        """Runs `check(text)` on all of {name: text} at once; it returns a complaint, or nothing."""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for name, complaint in zip(texts, pool.map(check, texts.values())):
                with self.subTest(name):
                    self.assertFalse(complaint, complaint)

    def test_there_are_seven_and_their_forms(self):
        self.assertEqual([p.stem for p in PROGRAMS],
                         ["attention", "attention_causal", "decode", "matmul_cooperative", "matmul_cooperative_nn",
                          "matmul_odd", "matmul_pingpong", "matmul_sm80", "softmax"])

    def test_each_is_short(self):
        for program in PROGRAMS:
            with self.subTest(program.name):
                self.assertLess(len(lines_of(program.read_text())), 150)

    def test_lines_fit_a_page(self):
        for program in PROGRAMS + STEPS:
            with self.subTest(program.name):
                self.assertEqual([line for line in program.read_text().splitlines() if len(line) > 120], [])

    def round_trips(self, text):
        printed, errors = opt(text)
        if printed is None: return errors
        again, errors = opt(printed)
        return errors or (printed != again and "prints something else the second time")

    def expands(self, text):
        """What abbreviates is gone, loops that say so are unrolled, and verifiers have nothing against what they see now."""
        printed, errors = opt(text, *EXPAND)
        if printed is None: return errors
        left = re.findall(r"tile\.(?:index|size|unravel|fold_columns|async_load|unroll)\b", printed)
        return left and f"{set(left)} left"

    def test_programs_and_steps_print_back(self):
        self.each({p.name: p.read_text() for p in PROGRAMS + STEPS}, self.round_trips)

    def test_programs_and_steps_expand(self):
        self.each({p.name: p.read_text() for p in PROGRAMS + STEPS}, self.expands)

    def test_variants_are_valid(self):
        self.each({name: variants.variant(name) for name in variants.RETILED | variants.OTHERS}, self.expands)

    def test_retiling_edits_types_alone(self):
        numbers = re.compile(r"grid|\brows \d+")  # what no type can say
        for name, (program, _) in variants.RETILED.items():
            text = (variants.PROGRAMS / program).read_text()
            for before, after in zip(text.splitlines(), variants.variant(name).splitlines()):
                with self.subTest(name):
                    self.assertTrue(before == after or before.startswith(("!", "//")) or numbers.search(before), before)

    def test_an_edit_of_nothing_is_noticed(self):
        with self.assertRaisesRegex(ValueError, "not in the program"):
            variants.edited("text", [("other", "new")])


if __name__ == "__main__":
    unittest.main()
