#!/usr/bin/env python3
"""same_code.py sees a kernel whose code changed, and nothing where none did: same_code_test.py KILN_KERNEL_CODE"""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import same_code  # noqa: E402

TOOL = sys.argv.pop(1) if len(sys.argv) > 1 else ""
KERNEL = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = graph.kernel "pointwise" (%a = %x : tensor<8xf32>) -> tensor<8xf32> attributes {
      schedule = #graph.schedule<"pointwise", {lanes = 8 : i64, tile = 8 : i64}>, symbol = "k"} {
    %z = arith.OP %a, %a : tensor<8xf32>
    graph.yield %z : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}
"""


class SameCode(unittest.TestCase):
    def differences(self, spellings, exceptions=()):
        texts = [KERNEL.replace("OP", op) for op in ("addf", "mulf", "subf")]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            same_code.write(folder / "avx512.kernels.gz", texts)
            code = same_code.make(TOOL, "avx512", texts)
            self.assertEqual(len(set(code)), 3)
            self.assertNotIn("refused", "".join(code))
            same_code.write(folder / "avx512.code.gz", code)
            found = {"avx512": same_code.compare(folder, TOOL, "avx512", spellings)}
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            uncovered = same_code.report(found, exceptions)
        return uncovered, printed.getvalue()

    def test_equal(self):
        self.assertEqual(self.differences([])[0], 0)

    def test_a_difference_is_seen_and_shown(self):
        uncovered, printed = self.differences([("mulf", "divf")])
        self.assertEqual(uncovered, 1)
        self.assertIn("arith.divf", printed)

    def test_an_exception_covers_as_many_as_it_says(self):
        spellings = [("mulf|subf", "divf")]
        self.assertEqual(self.differences(spellings, [("divf", "2", "why")])[0], 0)
        self.assertEqual(self.differences(spellings, [("divf", "1", "why")])[0], 1)
        self.assertIn("1 fewer differ", self.differences(spellings, [("divf", "3", "why")])[1])

    def test_what_is_refused_differs(self):
        self.assertEqual(self.differences([("mulf", "nosuch")])[0], 1)


if __name__ == "__main__":
    unittest.main()
