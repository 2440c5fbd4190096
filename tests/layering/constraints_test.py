#!/usr/bin/env python3
"""Every numbered constraint of the dialects has an error test: for each `(C<n>)` in the description of an op, type or
attribute in ir/<dialect>/*.td, some tests/ir/<dialect>/*-errors.mlir expects the error `'<its name>' (C<n>)`."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parents[2]
# dialect -> how many constraints it has at least
DIALECTS = {"graph": 15, "tile": 15, "ptx": 5}

# A definition's first line: `def Graph_ReduceOp : Graph_Op<"reduce", …`, `def Tile_SimdAttr : Tile_Attr<"Simd", "simd"`.
DEFINITION = re.compile(r"^def \w+ : (\w+)(?:<([^\n]*))?", re.MULTILINE)
LABEL = re.compile(r"\((C\d+)\)")
EXPECTED = re.compile(r"expected-error[^{\n]*\{\{'([^'\n]+)' \((C\d+)\)")
CHECKS = re.compile(r"^// RUN:.*--verify-diagnostics", re.MULTILINE)


def subject_of(dialect, base, arguments):
    """What the diagnostics of a definition call it; None where it is no op, type or attribute."""
    names = re.findall(r'"([^"]*)"', arguments or "")
    if base.endswith(("_Type", "_Attr", "Layout")):
        return f"{'!' if base.endswith('_Type') else '#'}{dialect}.{names[1]}"
    return f"{dialect}.{names[0]}" if base.startswith(f"{dialect.capitalize()}_") and names else None


def constraints(dialect, td):
    """The (subject, label) pairs of a .td file, and complaints about labels which belong to nothing or leave a gap."""
    found, complaints = set(), []
    text = re.sub(r"`[^`\n]*`", "", td)  # a label that is only spoken of stands in backticks
    starts = list(DEFINITION.finditer(td))
    bodies = re.split(r"^(?=def \w+ : )", text, flags=re.MULTILINE)
    for start, body in zip([None, *starts], bodies, strict=True):
        labels = sorted(set(LABEL.findall(body)), key=lambda label: int(label[1:]))
        if not labels:
            continue
        subject = subject_of(dialect, *start.groups()) if start else None
        if subject is None:
            complaints.append(f"{dialect}: {', '.join(labels)} outside an op, a type or an attribute")
        elif labels != [f"C{i + 1}" for i in range(len(labels))]:
            complaints.append(f"{subject}: {', '.join(labels)} do not count from C1")
        found |= {(subject, label) for label in labels if subject}
    return found, complaints


def complaints_of(dialect, tds, tests):
    """What is wrong with the error tests (texts) of a dialect, given its .td files (texts)."""
    numbered, complaints = set(), []
    for td in tds:
        found, wrong = constraints(dialect, td)
        numbered |= found
        complaints += wrong
    tested = {pair for text in tests if CHECKS.search(text) for pair in EXPECTED.findall(text)}
    complaints += [f"{subject} ({label}): no error test" for subject, label in sorted(numbered - tested)]
    complaints += [f"{subject} ({label}): tested, but not in its description" for subject, label in sorted(tested - numbered)]
    return complaints


TD = """
def Graph_Dialect : Dialect { let description = [{ Constraints, `(C1)`, `(C2)`, are numbered. }]; }
def Graph_OneOp : Graph_Op<"one", [Pure]> { let description = [{ (C1) this. (C2) that. }]; }
def Graph_BareOp : Graph_FloatUnary<"bare"> { let summary = "no constraints"; }
def Graph_OneAttr : Graph_Attr<"One", "one"> { let description = [{ (C1) this. }]; }
"""
ERRORS = """// RUN: kiln-opt %s --split-input-file --verify-diagnostics
// expected-error @below {{'graph.one' (C1): this}}
// expected-error @+2 {{'graph.one' (C2): that}}
// expected-error @below {{'#graph.one' (C1): this}}
"""


class Constraints(unittest.TestCase):
    def test_every_constraint_of_the_dialects_is_tested(self):
        for dialect, least in DIALECTS.items():
            with self.subTest(dialect=dialect):
                tds = [path.read_text() for path in sorted((ROOT / "ir" / dialect).glob("*.td"))]
                tests = [path.read_text() for path in sorted((ROOT / "tests/ir" / dialect).glob("*-errors.mlir"))]
                self.assertGreater(sum(len(constraints(dialect, td)[0]) for td in tds), least)
                self.assertEqual(complaints_of(dialect, tds, tests), [])

    def test_nothing_is_missing_where_all_is_tested(self):
        self.assertEqual(complaints_of("graph", [TD], [ERRORS]), [])

    def test_each_test_taken_away_is_missed(self):
        lines = ERRORS.splitlines(keepends=True)
        for i, name in enumerate(["graph.one (C1)", "graph.one (C2)", "#graph.one (C1)"], start=1):
            self.assertEqual(complaints_of("graph", [TD], ["".join(lines[:i] + lines[i + 1:])]), [f"{name}: no error test"])

    def test_a_file_that_checks_no_diagnostics_tests_nothing(self):
        self.assertEqual(len(complaints_of("graph", [TD], [ERRORS.replace("--verify-diagnostics", "")])), 3)

    def test_a_constraint_planted_in_a_description_is_missed(self):
        planted = TD.replace("(C2) that.", "(C2) that. (C3) more.").replace("no constraints", "(C1) one")
        self.assertEqual(complaints_of("graph", [planted], [ERRORS]),
                         ["graph.bare (C1): no error test", "graph.one (C3): no error test"])

    def test_a_test_of_a_constraint_that_is_gone_is_reported(self):
        self.assertEqual(complaints_of("graph", [TD.replace("(C2) that.", "")], [ERRORS]),
                         ["graph.one (C2): tested, but not in its description"])

    def test_labels_that_are_nobodys_or_leave_a_gap_are_reported(self):
        gap = complaints_of("graph", [TD.replace("(C1) this. (C2)", "(C2)")], [ERRORS])
        self.assertIn("graph.one: C2 do not count from C1", gap)
        stray = complaints_of("graph", [TD + 'def Graph_Kind : I32EnumAttr<"Kind", "(C1) what"> {}\n'], [ERRORS])
        self.assertEqual(stray, ["graph: C1 outside an op, a type or an attribute"])


if __name__ == "__main__":
    unittest.main()
