#!/usr/bin/env python3
"""tally.py counts the cases inside reports, and loses no failure."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import tally  # noqa: E402

JUNIT = """<?xml version="1.0"?><testsuite>{}</testsuite>"""
GTEST = {"testsuites": [{"name": "S", "testsuite": [
    {"name": "good", "status": "RUN", "result": "COMPLETED"},
    {"name": "bad", "status": "RUN", "result": "COMPLETED", "failures": [{"failure": "x"}]},
    {"name": "skipped", "status": "RUN", "result": "SKIPPED"},
    {"name": "DISABLED_x", "status": "NOTRUN", "result": "SUPPRESSED"}]}]}
LIT = {"tests": [{"name": "a", "code": "PASS"}, {"name": "b", "code": "FAIL"}, {"name": "c", "code": "UNSUPPORTED"},
                 {"name": "d", "code": "XPASS"}, {"name": "e", "code": "UNRESOLVED"}]}


def count(ctest, reports):
    """The outcomes for ctest tests {name: status} with reports {name: JSON or text}."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder)
        cases = "".join(f'<testcase name="{name}" status="{status}"/>' for name, status in ctest.items())
        (results / "ctest.xml").write_text(JUNIT.format(cases))
        for name, report in reports.items():
            text = report if isinstance(report, str) else json.dumps(report)
            (results / f"{name}.json").write_text(text)
        return sorted(outcome for _, outcome in tally.count(results / "ctest.xml", results))


class Tally(unittest.TestCase):
    def test_tests_without_a_report_count_once(self):
        self.assertEqual(count({"a": "run", "b": "fail", "c": "notrun", "d": "disabled"}, {}),
                         ["failed", "passed", "skipped", "skipped"])

    def test_googletest(self):
        self.assertEqual(count({"unit": "fail"}, {"unit": GTEST}), ["failed", "passed", "skipped", "skipped"])

    def test_lit(self):
        self.assertEqual(count({"lit": "fail"}, {"lit": LIT}), ["failed"] * 3 + ["passed", "skipped"])

    def test_a_crash_counts_as_a_failure(self):
        self.assertEqual(count({"unit": "fail"}, {}), ["failed"])
        self.assertEqual(count({"unit": "fail"}, {"unit": '{"testsuites": ['}), ["failed"])

    def test_a_failure_outside_the_cases_is_not_lost(self):
        good = {"tests": [{"name": "a", "code": "PASS"}]}
        self.assertEqual(count({"lit": "fail"}, {"lit": good}), ["failed", "passed"])


if __name__ == "__main__":
    unittest.main()
