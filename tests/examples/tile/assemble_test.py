#!/usr/bin/env python3
"""The programs of examples/tile as ptxas and nvdisasm see them: no spills, no remarks, lean loops. Skipped without ptxas.

    assemble_test.py KILN
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import variants

KILN = sys.argv.pop()
PROGRAMS = sorted(variants.PROGRAMS.glob("*.mlir")) + sorted(variants.PROGRAMS.glob("steps/*.mlir"))
EXTENTS = {"M": 4096, "N": 4096, "K": 4096, "B": 2, "H": 4, "S": 512, "Hq": 8, "Hkv": 2, "R": 64}
# The product that matmul_sm80.mlir computes, as Kiln makes it itself.
GRAPH = """func.func @main(%a: tensor<SIZExSIZExbf16>, %b: tensor<SIZExSIZExbf16>) -> tensor<SIZExSIZExbf16> {
  %y = graph.matmul %a, %b : (tensor<SIZExSIZExbf16>, tensor<SIZExSIZExbf16>) -> tensor<SIZExSIZExbf16>
  return %y : tensor<SIZExSIZExbf16>
}
"""
GENERATED = 4096, 4104  # all tiles are whole, none is
TOOLS = [pathlib.Path(p) for p in os.environ.get("KILN_CUDA_TOOLS", "/usr/local/cuda/bin").split(os.pathsep)]


def tool(name):
    """The path of one of CUDA's programs, or None."""
    return shutil.which(name) or next((str(d / name) for d in TOOLS if (d / name).exists()), None)


def targets_of(path):
    """GPUs from sm_80 on run sm80's programs, Hopper GPUs too."""
    return ["sm_80", "sm_90a"] if "sm80" in path.name else ["sm_90a"]


def ptx_of(path, target, folder):
    """A file with the PTX of a program or a graph."""
    names = dict.fromkeys(re.findall(r'"(\w+)"', " ".join(re.findall(r"(?:dims = |= )\[[^\]]*\]", path.read_text()))))
    bind = ",".join(f"{name}={EXTENTS[name]}" for name in names if name in EXTENTS)
    done = subprocess.run([KILN, "compile", path, "--target", target, "--emit", "ptx", *(["--bind", bind] if bind else [])],
                          capture_output=True, text=True)
    if done.returncode: raise RuntimeError(f"{path.name}: {done.stderr}")
    ptx = folder / f"{path.stem}.{target}.ptx"
    ptx.write_text(done.stdout)
    return ptx


def assembled(path, target, folder):
    """(what ptxas says of a program, its cubin)."""
    ptx = ptx_of(path, target, folder)
    cubin = ptx.with_suffix(".cubin")
    done = subprocess.run([tool("ptxas"), "-arch", target, "-v", ptx, "-o", cubin], capture_output=True, text=True)
    return done.stdout + done.stderr, cubin


def instructions(cubin):
    """(instructions, {label: place}) of the one kernel of a cubin."""
    text = subprocess.run([tool("nvdisasm"), "-c", cubin], capture_output=True, text=True, check=True).stdout
    listed, labels = [], {}
    for line in text.splitlines():
        if label := re.match(r"\s*(\.L_x_\d+):", line): labels[label[1]] = len(listed)
        if found := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?);", line): listed.append(found[1].strip())
    return listed, labels


def main_loop(cubin):
    """The instructions of the shortest loop that holds all of a k step's products, without predicates."""
    listed, labels = instructions(cubin)
    loops = []
    for place, text in enumerate(listed):
        target = re.match(r"@.*BRA.*`\((\.L_x_\d+)\)", text)  # one that is always taken leads back from a wait
        start = labels.get(target[1], place + 1) if target else place + 1
        if start < place and any("MMA" in i for i in listed[start:place]): loops.append((place - start, start, place))
    _, start, place = min(loops)
    return [re.sub(r"^@!?U?P\d+ +", "", i) for i in listed[start:place + 1]]


def opcode(instruction):
    return instruction.split()[0].split(".")[0]


def opcodes(loop):
    """{opcode: how often}."""
    return collections.Counter(map(opcode, loop))


@unittest.skipUnless(tool("ptxas"), "no ptxas")
class Assembled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.folder.name)
        jobs = {(path.relative_to(variants.PROGRAMS).as_posix(), target): path
                for path in PROGRAMS for target in targets_of(path)}
        for size in GENERATED:
            graph = folder / f"generated {size}.mlir"
            graph.write_text(GRAPH.replace("SIZE", str(size)))
            jobs |= {(graph.name, target): graph for target in ("sm_80", "sm_90a")}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = pool.map(lambda job: assembled(job[1], job[0][1], folder), jobs.items())
            cls.results = dict(zip(jobs, results))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_nothing_spills(self):
        for name, (said, _) in self.results.items():
            with self.subTest(name):
                self.assertRegex(said, r"Used \d+ registers")
                self.assertEqual(set(re.findall(r"(\d+) bytes (?:stack|spill)", said)), {"0"}, said)

    def test_ptxas_has_no_remarks(self):
        for name, (said, _) in self.results.items():
            with self.subTest(name):
                self.assertNotRegex(said, r"\(C7\d\d\d\)|[Ww]arning|error")

    @unittest.skipUnless(tool("nvdisasm"), "no nvdisasm")
    def test_a_matmul_s_main_loop_multiplies(self):
        for name in ("matmul_cooperative.mlir", "matmul_cooperative_nn.mlir", "matmul_pingpong.mlir", "matmul_odd.mlir"):
            with self.subTest(name):
                counts = opcodes(main_loop(self.results[name, "sm_90a"][1]))
                others = sum(counts.values()) - counts["HGMMA"] - counts["NOP"]
                self.assertGreaterEqual(counts["HGMMA"], 4)
                self.assertLessEqual(others, 40, dict(counts))
                # Nothing touches an accumulator, nothing goes to memory.
                self.assertFalse(counts.keys() & {"MOV", "FADD", "FMUL", "FFMA", "LDL", "STL", "LDG", "STG", "LDS", "STS"},
                                 dict(counts))

    @unittest.skipUnless(tool("nvdisasm"), "no nvdisasm")
    def test_an_attention_s_main_loop_has_what_the_mathematics_asks_for(self):
        # A thread's 64 scores of a block: maximum, fma, exponential, sum; 32 words rounded; 64 sums of values scaled.
        asked = 4 * 64 + 32 + 64
        for name, most in (("attention.mlir", 75), ("attention_causal.mlir", 90)):
            with self.subTest(name):
                cubin = self.results[name, "sm_90a"][1]
                loop = main_loop(cubin)
                counts = opcodes(loop)
                self.assertEqual((counts["HGMMA"], counts["MUFU"]), (16, 66))
                self.assertLessEqual(sum(counts.values()) - counts["HGMMA"] - counts["NOP"] - asked, most, dict(counts))
                self.assertFalse(counts.keys() & {"LDL", "STL", "LDG", "STG", "LDS", "STS"}, dict(counts))
                # Exponentials of weights stand between the scores' wait and that for the values of the block before.
                scores, values = (next(i for i, text in enumerate(loop) if f"DEPBAR.LE gsb0, {n}" in text)
                                  for n in ("0x1", "0x0"))
                self.assertGreaterEqual(opcodes(loop[scores:values])["MUFU"], 64)
                # From tile to tile: no division that is a function.
                listed, _ = instructions(cubin)
                products = [i for i, text in enumerate(listed) if "HGMMA" in text]
                self.assertNotIn("CALL", " ".join(listed[products[0]:products[-1]]))

    @unittest.skipUnless(tool("nvdisasm"), "no nvdisasm")
    def test_a_main_loop_by_hand_is_half_a_generated_one(self):
        # A step by hand is half of a generated one, with a barrier and places in the rings of its own: no more than a third
        # longer, product for product. On sm_80, where edges are looked at in a loop of another shape, all tiles are whole.
        for target, size in (("sm_80", 4096), ("sm_90a", 4096), ("sm_90a", 4104)):
            with self.subTest(target=target, size=size):
                by_hand, generated = (opcodes(main_loop(self.results[name, target][1]))
                                      for name in ("matmul_sm80.mlir", f"generated {size}.mlir"))
                for counts, halves in (by_hand, 1), (generated, 2):
                    work = counts["HMMA"], counts["LDSM"], counts["LDGSTS"], counts["BAR"]
                    self.assertEqual(work, (64 * halves, 16 * halves, 6 * halves, 1), dict(counts))
                    self.assertFalse(counts.keys() & {"LDL", "STL", "LDG", "STG", "CALL"}, dict(counts))
                length = lambda counts: sum(n for name, n in counts.items() if name != "NOP")
                self.assertLessEqual(3 * 2 * length(by_hand), 4 * length(generated), f"{by_hand}\n{generated}")
                self.assertLessEqual(length(by_hand) - by_hand["HMMA"], 82, by_hand)

    @unittest.skipUnless(tool("nvdisasm"), "no nvdisasm")
    def test_a_main_loop_by_hand_meets_amid_products(self):
        # Behind the barrier more than a product, 32 instructions, is left to start before the loop begins again with what
        # the barrier is for, and loads of that do not stand right behind it.
        for target in ("sm_80", "sm_90a"):
            with self.subTest(target):
                loop = [name for name in map(opcode, main_loop(self.results["matmul_sm80.mlir", target][1]))
                        if name in ("HMMA", "LDSM", "BAR")]
                before, behind = loop[:loop.index("BAR")], loop[loop.index("BAR") + 1:]
                self.assertEqual((before.count("LDSM"), behind.count("LDSM")), (8, 8), loop)
                self.assertGreaterEqual(before.count("HMMA"), 8, loop)
                self.assertGreater(behind.count("HMMA"), 32, loop)
                self.assertGreaterEqual(behind.index("LDSM"), 8, loop)


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    if result.wasSuccessful() and (not result.testsRun or len(result.skipped) == result.testsRun):
        sys.exit(77)  # which ctest counts as skipped
    sys.exit(not result.wasSuccessful())
