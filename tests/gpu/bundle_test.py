#!/usr/bin/env python3
"""The bundle for another machine: its programs need its own libraries and no other, and its script says what it did.

    bundle_test.py --strip STRIP --minilm KILN_MINILM FILE...: as make_bundle.py takes them
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import make_bundle  # noqa: E402

OPTIONS, FILES = sys.argv[1:5], sys.argv[5:]
del sys.argv[1:]


class Bundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.bundle = cls.path / "bundle.tar.xz"
        some = [file for file in FILES if pathlib.PurePath(file).name in ("kiln", "libkiln.so", "libkiln_runtime.so")]
        subprocess.run([sys.executable, HERE / "make_bundle.py", "--quick", "--output", cls.bundle, *OPTIONS, *some],
                       check=True)
        subprocess.run(["tar", "-xJf", cls.bundle, "-C", cls.path], check=True)
        cls.root = cls.path / make_bundle.NAME

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_script(self, *arguments, **environment):
        return subprocess.run([self.root / "tests/gpu/run", *arguments], capture_output=True, text=True,
                              env={**os.environ, **environment})

    def test_files_need_only_the_system(self):
        self.assertEqual(len(FILES), 7)
        for file in FILES:
            self.assertEqual(make_bundle.foreign(pathlib.Path(file)), [], file)
            self.assertNotIn("not found", subprocess.run(["ldd", file], capture_output=True, text=True).stdout)

    def test_a_foreign_library_is_noticed(self):
        with mock.patch.object(make_bundle, "WITH_CXX", {}), mock.patch.dict(make_bundle.NEWEST, GLIBCXX=(3, 4, 9)):
            lacking = make_bundle.foreign(next(pathlib.Path(file) for file in FILES if file.endswith("libkiln.so")))
        self.assertEqual(lacking[:2], ["libgcc_s.so.1", "libstdc++.so.6"])
        self.assertRegex(" ".join(lacking[2:]), r"^GLIBCXX_3\.4\.\d+$")

    def test_programs_run_where_they_were_unpacked(self):
        kiln, model = self.root / "bin/kiln", self.root / "models/minilm.mlir"
        done = subprocess.run([kiln, "explain", model], capture_output=True, text=True, check=True, env={})
        self.assertIn("matmul_", done.stdout)
        header = self.root / "include/kiln/kiln.h"
        subprocess.run(["cc", "-std=c11", "-fsyntax-only", "-I", self.root / "include", "-x", "c", header], check=True)

    def test_a_machine_without_a_gpu_is_refused(self):
        if "absent" not in subprocess.run([self.root / "bin/kiln", "devices"], capture_output=True, text=True).stdout:
            self.skipTest("this machine has a GPU")
        for bundle in ([self.bundle], []):
            done = self.run_script(*bundle)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("there is no GPU to run on", done.stderr)

    def test_usage(self):
        for arguments in (["--parts", "kitchen"], ["--speed"], ["--budget"], ["--budget", "long"], ["none.tar.xz"],
                          [self.bundle, self.bundle]):
            done = self.run_script(*arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            self.assertIn("run: ", done.stderr)
        self.assertEqual(self.run_script("--help").returncode, 0)

    def with_programs(self, **programs):
        """A copy of the bundle's scripts with programs of these texts in place of the real ones."""
        root = self.path / "pretended"
        subprocess.run(["rm", "-rf", root], check=True)
        (root / "bin").mkdir(parents=True)
        subprocess.run(["cp", "-r", self.root / "tests", self.root / "REVISION", root], check=True)
        devices = 'echo "cpu      x"; echo "         --target avx2"; echo "cuda     1 GPU"; ' \
                  'echo "         0: Pretended, compute capability 9.0"; echo "         --target sm_90a"'
        for name, text in {"kiln": devices, **programs}.items():
            (root / "bin" / name.replace("_", "-")).write_text(f"#!/bin/bash\n{text}\n")
            (root / "bin" / name.replace("_", "-")).chmod(0o755)
        done = subprocess.run([root / "tests/gpu/run", "--out", self.path / "out", "--parts", "devices,numeric"],
                              capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_counts_what_passed(self):
        code, lines = self.with_programs(kiln_numeric='''
            echo "[       OK ] A.b (1 ms)"; echo "[  SKIPPED ] A.c (1 ms)"; echo "[==========] 2 tests from 1 test suite ran."''')
        self.assertEqual(code, 0)
        runs = sum(line.startswith("numeric-sm_90a-") for line in lines) // 2  # as they end, and in the table
        self.assertGreater(runs, 6)
        self.assertEqual(lines[-1], f"{runs + 1} passed, 0 failed, {runs} skipped")

    def test_failures_and_crashes_count(self):
        code, lines = self.with_programs(kiln_numeric='''
            [[ $* == *CanonicalOrder* ]] && kill -SEGV $$
            [[ $* == *Faults* ]] && { echo "[  FAILED  ] A.b (1 ms)"; status=1; }
            echo "[==========] 1 test from 1 test suite ran."; exit $status''')
        self.assertEqual(code, 1)
        self.assertEqual(lines[-1], "1 passed, 3 failed, 0 skipped")
        self.assertTrue(any("CanonicalOrder" in line and "ended with status 139" in line for line in lines))


if __name__ == "__main__":
    unittest.main()
