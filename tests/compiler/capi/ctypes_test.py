#!/usr/bin/env python3
"""Kiln from Python, through its C interface and ctypes: what the benchmarks do.

    ctypes_test.py LIBKILN
"""

import array
import ctypes
import json
import math
import pathlib
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import kiln  # noqa: E402

LIBRARY = kiln.Library(sys.argv.pop())

GRAPH = """
func.func @main(%x: tensor<3x1000xf32> {graph.name = "x"}, %b: tensor<1000xf32> {graph.name = "b", graph.param})
    -> (tensor<3x1000xf32> {graph.name = "y"}, tensor<3xf32> {graph.name = "s"}) {
  %0 = graph.broadcast %b dims [1] : tensor<1000xf32> -> tensor<3x1000xf32>
  %1 = arith.addf %x, %0 : tensor<3x1000xf32>
  %2 = math.sin %1 : tensor<3x1000xf32>
  %3 = graph.reduce <sum> %2 axes [1] : tensor<3x1000xf32> -> tensor<3xf32>
  return %2, %3 : tensor<3x1000xf32>, tensor<3xf32>
}
"""


def floats(count, value=lambda i: 0.0):
    return array.array("f", [value(i) for i in range(count)])


class Ctypes(unittest.TestCase):
    def setUp(self):
        self.graph = LIBRARY.compile(GRAPH, keep_ir=True, threads=2)
        self.x, self.b = floats(3000, lambda i: i * 0.001 - 1), floats(1000, lambda i: 0.5)
        self.graph.bind("b", self.b)

    def tearDown(self):
        self.graph.close()

    def run_once(self, graph):
        y, s = floats(3000), floats(3)
        graph.run_host([self.x], [y, s])
        return y, s

    def test_describes(self):
        self.assertEqual([(t.name, t.dtype, t.shape) for t in self.graph.inputs], [("x", "f32", (3, 1000))])
        self.assertEqual([t.name for t in self.graph.parameters], ["b"])
        self.assertEqual([(t.name, t.bytes) for t in self.graph.outputs], [("y", 12000), ("s", 12)])
        self.assertEqual(len(json.loads(self.graph.report)["kernels"]), 1)
        self.assertIn("graph.kernel", self.graph.ir("fused"))
        self.assertIn("cpu", [device["name"] for device in LIBRARY.devices()])

    def test_runs(self):
        y, s = self.run_once(self.graph)
        for i in range(0, 3000, 7):
            self.assertAlmostEqual(y[i], math.sin(self.x[i] + 0.5), delta=1e-6)
        self.assertAlmostEqual(s[1], sum(y[1000:2000]), delta=1e-3)

    def test_device_pointers_and_replays(self):
        expected = self.run_once(self.graph)
        y, s = floats(3000), floats(3)
        pointers = [[t.buffer_info()[0] for t in side] for side in ([self.x], [y, s])]
        self.graph.run(*pointers)
        self.assertEqual((y, s), expected)
        replay = self.graph.capture(*pointers)
        self.x[0] = 2
        replay.run()
        replay.close()
        self.assertAlmostEqual(y[0], math.sin(2.5), delta=1e-6)

    def test_numpy_arrays(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        x, y, s = numpy.array(self.x), numpy.zeros((3, 1000), "f"), numpy.zeros(3, "f")
        self.graph.run_host([x], [y, s])
        self.assertLess(numpy.abs(y - numpy.sin(x.reshape(3, 1000) + 0.5)).max(), 1e-6)
        self.assertLess(numpy.abs(s - y.sum(axis=1)).max(), 1e-3)
        owned = [numpy.from_dlpack(tensor) for tensor in self.graph.run_owned([x])]
        self.graph.run_owned([x])  # and dropped
        self.assertTrue((owned[0] == y).all() and (owned[1] == s).all())

    def test_files(self):
        expected = self.run_once(self.graph)
        with tempfile.TemporaryDirectory() as folder:
            self.graph.save(folder + "/g.kiln")
            loaded = LIBRARY.load(folder + "/g.kiln")
            loaded.bind("b", self.b)
            self.assertEqual(self.run_once(loaded), expected)
            loaded.close()
            with self.assertRaisesRegex(kiln.Error, "one that `kiln compile` wrote"):
                LIBRARY.load(__file__)

    def test_errors_are_of_their_thread(self):
        with self.assertRaises(kiln.Error) as caught:
            LIBRARY.compile("func.func @main() {")
        self.assertEqual(caught.exception.code, 2)
        with self.assertRaisesRegex(kiln.Error, "the graph has no such parameter"):
            self.graph.bind("c", self.b)
        seen = []
        thread = threading.Thread(target=lambda: seen.append(LIBRARY.c.kiln_last_error().contents.code))
        thread.start()
        thread.join()
        self.assertEqual(seen, [0])

    def test_threads_share_a_graph(self):
        expected, wrong = self.run_once(self.graph), []

        def work():
            for _ in range(20):
                if self.run_once(self.graph) != expected:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
