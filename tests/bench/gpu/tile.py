#!/usr/bin/env python3
"""Races hand-written tile programs beside PyTorch on this machine's GPU: `tile.py LIBKILN [--case TEXT]… [--out FILE]`.

Each case of tile_cases.py: outputs against float64, equal bits over repeated runs, then times. Hot: all contestants in
turn, the L2 flushed before each launch. Iso: the same behind 0.25 s of rest. Ends 1 if a result is wrong, bits differ
or a bar is missed. What a case holds, `tile.py --help` says."""

import argparse
import datetime
import importlib.util
import json
import pathlib
import statistics
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import kiln  # noqa: E402
import race  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
REPEATS = 20  # runs whose bits must be equal
ERROR_LIMIT = 6e-3  # ‖got − want‖ / ‖want‖ of a bf16 result, if a case says no other
MET = 0.98  # of a bar counts as met

CASE = """A case is a dict:
  name        "matmul 4096x4096x4096 nt"
  programs    {contestant: path}, paths from the repository's root; or one path. All are given the same inputs
  entry       the tile.kernel, where a file holds several
  bind        {"M": 4096, "N": 4096, "K": 4096, "scale": 0.125}: the extents that tile.dims name, and scalars
  inputs      {argument: function(shape, dtype) -> tensor on the GPU}; others are drawn, standard normal
  reference   function(inputs: dict) -> [float64 tensor per output]; one with fewer rows is held to the first rows
  peers       {name: function(inputs, outputs) -> function that gives its work to the stream}; "copy": True races a
              device copy of the case's bytes
  beside      {name: {"program": path, "bind": {…}}}: tile programs as peers, on inputs of their own
  graphs      {name: .mlir text}: what Kiln itself makes of a graph as peers, on the same inputs, judged like programs
  bars        {"hot": {peer: ratio}, "iso": {peer: ratio}}, of the best program; ratios are times faster
  tolerance   of the relative error of the norm
  flops       of one run, for TFLOP/s
  bytes       of one run, for TB/s
"""


def drawn(info):
    """A tensor as an input says, of standard normal numbers or small integers."""
    types = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64,
             "f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2, "i64": torch.int64, "i32": torch.int32,
             "i8": torch.int8, "bool": torch.bool}
    kind = types[info.dtype]
    if kind.is_floating_point:
        return torch.randn(info.shape, device="cuda", dtype=torch.float32).to(kind)
    return torch.randint(0, 2 if kind == torch.bool else 8, info.shape, device="cuda").to(kind)


def unwritten(info):
    """Memory for an output in which an element that is not written shows: NaN bytes."""
    kind = drawn(info._replace(shape=(1,))).dtype
    memory = torch.empty(info.bytes, dtype=torch.uint8, device="cuda")
    return memory.fill_(0xFF).view(kind).view(info.shape)


class Contestant:
    """A tile program or a graph, compiled, with outputs of its own."""

    def __init__(self, library, text, case):
        bind = ",".join(f"{name}={value!r}" for name, value in case.get("bind", {}).items())
        self.graph = library.compile(text, device="cuda", entry=case.get("entry"), bind=bind or None)
        self.report = json.loads(self.graph.report)
        self.outputs = [unwritten(info) for info in self.graph.outputs]

    def draw(self, case):
        given = case.get("inputs", {})
        return {info.name: given[info.name](info.shape, info.dtype) if info.name in given else drawn(info)
                for info in self.graph.inputs}

    def prepare(self, inputs):
        """Binds the runs to these inputs."""
        stream = torch.cuda.current_stream().cuda_stream
        self.go = self.graph.runner([inputs[info.name] for info in self.graph.inputs], self.outputs, stream)

    def bits_differ(self):
        """How many of REPEATS runs differ from the first in any bit."""
        self.go()
        torch.cuda.synchronize()
        first, differ = [bits(o).clone() for o in self.outputs], 0
        for _ in range(REPEATS - 1):
            for output in self.outputs:
                bits(output).fill_(0xFF)
            self.go()
            torch.cuda.synchronize()
            differ += any(not torch.equal(bits(o), f) for o, f in zip(self.outputs, first, strict=True))
        return differ

    def errors(self, reference):
        return [race.relative_error(o[: r.shape[0]] if r.dim() else o, r)
                for o, r in zip(self.outputs, reference, strict=True)]


def bits(tensor):
    return tensor.view(torch.uint8) if tensor.dim() else tensor.view(1).view(torch.uint8)


def candidates(folder, programs):
    """{name: path} of the files in a folder that race beside those programs: `decode.deeper.mlir` beside `decode`."""
    files = sorted(folder.glob("*.mlir")) if folder else []
    return {file.stem: file.resolve() for file in files if file.name.split(".")[0] in programs}


def contestants_of(library, root, case, folder, faults):
    """The case's programs that compile, and the folder's."""
    programs, made = case["programs"], {}
    if isinstance(programs, str):
        programs = {pathlib.Path(programs).stem: programs}
    programs = programs | candidates(folder, programs)
    for name, path in programs.items():
        try:
            made[name] = Contestant(library, (root / path).read_text(), case)
        except kiln.Error as error:
            faults.append(f"{name}: {error}")
    return made


def measure(library, root, case, arguments):
    """The record of one case, with what is wrong with it in `faults`."""
    record = {"name": case["name"], "bind": case.get("bind", {}), "programs": {}, "faults": []}
    made = contestants_of(library, root, case, arguments.programs, record["faults"])
    if not made:
        return record
    first = next(iter(made.values()))
    inputs = first.draw(case)
    reference = case["reference"](inputs) if "reference" in case else None
    graphs = {name: Contestant(library, text, {}) for name, text in case.get("graphs", {}).items()}
    for name, contestant in (made | graphs).items():
        contestant.prepare(inputs)
        entry = {"compile_seconds": contestant.report["seconds"]["kernels"], "runs_that_differ": contestant.bits_differ()}
        if entry["runs_that_differ"]:
            record["faults"].append(f"{name}: {entry['runs_that_differ']} of {REPEATS} runs differ in bits")
        if reference is not None:
            entry["errors"] = contestant.errors(reference)
            limit = case.get("tolerance", ERROR_LIMIT)
            if not all(error <= limit for error in entry["errors"]):  # NaN is not
                record["faults"].append(f"{name}: relative errors {entry['errors']}, at most {limit}")
        record["programs"][name] = entry
    if not arguments.check_only and "peers" in case:
        beside = {name: beside_contestant(library, root, other) for name, other in case.get("beside", {}).items()}
        record["races"] = races(case, made, beside | graphs, inputs, first, arguments)
        record["faults"] += missed(case, made, record["races"])
    return record


def beside_contestant(library, root, other):
    contestant = Contestant(library, (root / other["program"]).read_text(), other)
    contestant.prepare(contestant.draw(other))
    return contestant


def races(case, made, beside, inputs, first, arguments):
    works = {name: contestant.go for name, contestant in (made | beside).items()}
    for name, peer in case["peers"].items():
        works[name] = race.copy_contestant(case["bytes"]) if peer is True else peer(inputs, first.outputs)
    result = {}
    for kind in ("hot", "iso"):
        if kind == "iso" and (arguments.no_iso or not case.get("bars", {}).get("iso")):
            continue
        times = race.race(works, rounds=arguments.rounds, idle=kind == "iso")
        result[kind] = {"seconds": race.medians(times), "sm_clock_mhz": race.sm_clock_mhz(),
                        "ratios": {peer: {name: race.ratio(times, name, peer) for name in made}
                                   for peer in [*case["peers"], *beside]}}
    return result


def missed(case, made, raced):
    """The bars that the best program misses."""
    faults = []
    for kind, bars in case.get("bars", {}).items():
        for peer, bar in bars.items():
            if kind not in raced:
                continue
            best = max(raced[kind]["ratios"][peer][name]["median"] for name in made)
            if best < bar * MET:
                faults.append(f"{kind}: {best:.3f} of {peer}, the bar is {bar}")
    return faults


def rates(case, seconds):
    text = f"{seconds * 1e6:9.1f} us"
    if "flops" in case:
        text += f" {case['flops'] / seconds * 1e-12:6.1f} TFLOP/s"
    if "bytes" in case:
        text += f" {case['bytes'] / seconds * 1e-12:5.2f} TB/s"
    return text


def show(case, record):
    print(f"{record['name']}{'' if not record['faults'] else '   WRONG OR BELOW THE BAR'}")
    for name, entry in record["programs"].items():
        errors = ", ".join(f"{e:.2e}" for e in entry.get("errors", []))
        print(f"  {name:24} compiled in {entry['compile_seconds'] * 1e3:.0f} ms, error {errors or 'not judged'}")
    for kind, raced in record.get("races", {}).items():
        for name, seconds in raced["seconds"].items():
            ratios = "  ".join(f"{peer} x{r[name]['median']:.3f} [{r[name]['low']:.3f}, {r[name]['high']:.3f}]"
                               for peer, r in raced["ratios"].items() if name in r)
            print(f"  {kind} {name:20} {rates(case, seconds)}  {ratios}")
        print(f"  {kind} SM clock {raced['sm_clock_mhz']} MHz")
    for fault in record["faults"]:
        print(f"  {fault}")
    sys.stdout.flush()


def load_cases(path):
    spec = importlib.util.spec_from_file_location("tile_cases", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CASES


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=CASE,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", help="libkiln.so")
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parents[2], help="where the programs' paths begin")
    parser.add_argument("--cases", type=pathlib.Path, default=HERE / "tile_cases.py")
    parser.add_argument("--case", action="append", default=[], help="only cases with this in their name")
    parser.add_argument("--programs", type=pathlib.Path,
                        help="a folder whose files PROGRAM.WHATEVER.mlir race in all cases that PROGRAM races in")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--no-iso", action="store_true", help="leave out the races behind a rest")
    parser.add_argument("--check-only", action="store_true", help="results and bits, no times")
    parser.add_argument("--out", type=pathlib.Path, help="a JSON file to write")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU")
        return 3
    library = kiln.Library(arguments.library)
    torch.manual_seed(1)
    records = []
    for case in load_cases(arguments.cases):
        if arguments.case and not any(text in case["name"] for text in arguments.case):
            continue
        try:
            record = measure(library, arguments.root, case, arguments)
        except kiln.Error as error:
            record = {"name": case["name"], "programs": {}, "faults": [str(error)]}
        records.append(record)
        show(case, record)
        torch.cuda.empty_cache()
    failed = sum(bool(record["faults"]) for record in records)
    if arguments.out:
        arguments.out.write_text(json.dumps(
            {"date": datetime.date.today().isoformat(), "gpu": torch.cuda.get_device_name(), "kiln": library.version,
             "torch": torch.__version__, "cuda": torch.version.cuda, "rounds": arguments.rounds, "cases": records,
             "median_compile_seconds": statistics.median(
                 [entry["compile_seconds"] for r in records for entry in r["programs"].values()] or [0])}, indent=1) + "\n")
    print(f"{len(records)} cases, {failed} wrong or below the bar")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
