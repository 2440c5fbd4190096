#!/usr/bin/env python3
"""A compiled file runs where there is no compiler.

    run_file_test.py KILN RUN_FILE
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN_FILE, KILN = sys.argv.pop(), sys.argv.pop()

GRAPH = """
func.func @main(%x: tensor<64x96xf32> {graph.name = "x"}, %w: tensor<96x32xf32> {graph.name = "w", graph.param})
    -> (tensor<64x32xf32> {graph.name = "y"}, tensor<64xf32> {graph.name = "n"}) {
  %table = arith.constant dense<[TABLE]> : tensor<32xf32>
  %0 = graph.matmul %x, %w : (tensor<64x96xf32>, tensor<96x32xf32>) -> tensor<64x32xf32>
  %1 = graph.broadcast %table dims [1] : tensor<32xf32> -> tensor<64x32xf32>
  %2 = arith.mulf %0, %1 : tensor<64x32xf32>
  %3 = graph.reduce <max> %2 axes [1] : tensor<64x32xf32> -> tensor<64xf32>
  return %2, %3 : tensor<64x32xf32>, tensor<64xf32>
}
""".replace("TABLE", ", ".join(f"{i + 0.5}" for i in range(32)))


class RunFile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        (self.path / "m.mlir").write_text(GRAPH)

    def tearDown(self):
        self.folder.cleanup()

    def compile(self, *options):
        command = [KILN, "compile", self.path / "m.mlir", "-o", self.path / "m.kiln", *options]
        subprocess.run(command, check=True)
        return self.path / "m.kiln"

    def run_file(self, path):
        return subprocess.run([RUN_FILE, path], capture_output=True, text=True)

    def test_every_cpu_target(self):
        devices = subprocess.run([KILN, "devices"], capture_output=True, check=True, text=True).stdout
        targets = [target for target in ("avx512", "avx2", "sse2") if f"--target {target}" in devices]
        self.assertIn("sse2", targets)
        for target in targets:
            done = self.run_file(self.compile("--target", target))
            self.assertEqual((done.returncode, done.stdout), (0, "48\n3024\n"), done.stderr)

    def test_damage_is_an_error(self):
        data = bytearray(self.compile().read_bytes())
        data[len(data) // 2] ^= 1
        (self.path / "d.kiln").write_bytes(data)
        done = self.run_file(self.path / "d.kiln")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the file is damaged", done.stderr)
        self.assertEqual(self.run_file(self.path / "m.mlir").returncode, 2)
        self.assertEqual(self.run_file(self.path / "none").returncode, 2)


if __name__ == "__main__":
    unittest.main()
