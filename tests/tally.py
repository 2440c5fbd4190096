#!/usr/bin/env python3
"""Run every ctest test of a build tree and count the cases inside them.

    tally.py BUILD_DIR

A ctest test that leaves a report in BUILD_DIR/results, named after itself, counts with the cases of that report
(GoogleTest's or lit's JSON); any other counts as one. A test that failed without a failed case in its report (it
crashed, or ran out of time) counts as one more failure. Prints what failed, and ends with the one line
"N passed, N failed, N skipped". Exit status: 0 all passed or were skipped, 1 something failed or nothing ran.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

PROGRESS_SECONDS = 20


def gtest_cases(report):
    """(name, outcome) of each case of a GoogleTest report."""
    for suite in report["testsuites"]:
        for case in suite["testsuite"]:
            skipped = case["result"] == "SKIPPED" or case["status"] == "NOTRUN"
            outcome = "failed" if case.get("failures") else "skipped" if skipped else "passed"
            yield f"{suite['name']}.{case['name']}", outcome


def lit_cases(report):
    """(name, outcome) of each test of a lit report."""
    outcomes = {"PASS": "passed", "XFAIL": "passed", "FLAKYPASS": "passed", "UNSUPPORTED": "skipped",
                "SKIPPED": "skipped", "EXCLUDED": "skipped"}
    for test in report["tests"]:
        yield test["name"], outcomes.get(test["code"], "failed")


def read_report(path):
    """The cases of the report at `path`; none if there is no report, or only a part of one."""
    try:
        report = json.loads(path.read_text())
    except (OSError, ValueError):
        return []
    return list(gtest_cases(report) if "testsuites" in report else lit_cases(report))


def ctest_outcome(case):
    """The outcome of one <testcase> of ctest's JUnit file."""
    return {"run": "passed", "fail": "failed"}.get(case.get("status"), "skipped")


def count(junit, results):
    """(name, outcome) of every case: the cases of a ctest test's report, or the test itself."""
    for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        name, outcome = case.get("name"), ctest_outcome(case)
        cases = read_report(results / f"{name}.json")
        yield from ((f"{name}: {inner}", inner_outcome) for inner, inner_outcome in cases)
        if not cases or (outcome == "failed" and all(inner != "failed" for _, inner in cases)):
            yield name, outcome


def run_ctest(build, junit, log):
    """Run all tests, printing a line on how far they are now and then; return ctest's exit status."""
    jobs = str(os.cpu_count() or 1)
    command = ["ctest", "--test-dir", str(build), "-j", jobs, "--output-on-failure", "--no-tests=error",
               "--output-junit", str(junit)]
    start = time.monotonic()
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        done = threading.Event()

        def report_progress():
            while not done.wait(PROGRESS_SECONDS):
                finished = len(re.findall(r"^ *\d+/\d+ Test ", log.read_text(errors="replace"), re.MULTILINE))
                print(f"Testing ... {time.monotonic() - start:.0f} s, {finished} test programs done", file=sys.stderr,
                      flush=True)

        thread = threading.Thread(target=report_progress, daemon=True)
        thread.start()
        status = process.wait()
        done.set()
        thread.join()
    return status


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_dir():
        print("usage: tally.py BUILD_DIR", file=sys.stderr)
        return 2
    build = pathlib.Path(sys.argv[1]).resolve()
    results = build / "results"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir()
    junit, log = results / "ctest.xml", build / "tests.log"
    status = run_ctest(build, junit, log)
    if not junit.is_file():
        print(log.read_text(errors="replace"), file=sys.stderr)
        return 1
    outcomes = list(count(junit, results))
    failed = [name for name, outcome in outcomes if outcome == "failed"]
    if status != 0 and not failed:
        failed = ["ctest itself"]
        outcomes.append(("ctest itself", "failed"))
    if failed:
        print(log.read_text(errors="replace"))
        print("Failed:\n" + "".join(f"  {name}\n" for name in failed))
    numbers = {kind: sum(outcome == kind for _, outcome in outcomes) for kind in ("passed", "failed", "skipped")}
    print(f"{numbers['passed']} passed, {numbers['failed']} failed, {numbers['skipped']} skipped", flush=True)
    return 1 if failed or not numbers["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
