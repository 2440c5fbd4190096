#!/usr/bin/env python3
"""Races reductions beside PyTorch and a device copy of the same byte count: `reductions.py LIBKILN [--schedules] [--out FILE]
[--case TEXT]…`.

A line per case and schedule: the error against float64, times, ratios to the peers with the middle half's interval, the
host's time to give a run to the stream, and, where Kiln launches twice, what each launch takes. With --schedules a few
beside the default one are raced in turn with it, and held to its bits. Ends 1 if a result is wrong, bits differ or a
default misses a bar."""

import argparse
import datetime
import json
import pathlib
import statistics
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import kiln  # noqa: E402
import race  # noqa: E402

BAR = 0.88  # of a copy
MET = 0.98  # of a bar counts as met
TYPES = {"bf16": torch.bfloat16, "f32": torch.float32}


class Case:
    """`kind` over `axes` of a tensor; schedules are of the family that takes it."""

    def __init__(self, name, kind, shape, axes, dtype, family, schedules):
        self.name, self.kind, self.shape, self.axes, self.dtype = name, kind, shape, axes, dtype
        self.schedules = [f"{family} {{{knobs}}}" for knobs in schedules]

    @property
    def result(self):
        return [extent for axis, extent in enumerate(self.shape) if axis not in self.axes]

    @property
    def bytes(self):
        return TYPES[self.dtype].itemsize * (torch.Size(self.shape).numel() + torch.Size(self.result).numel())

    @property
    def mlir(self):
        dims = lambda extents, dtype: f"tensor<{''.join(f'{e}x' for e in extents)}{dtype}>"  # noqa: E731
        x, y = dims(self.shape, self.dtype), dims(self.result, self.dtype)
        return (f'func.func @main(%x: {x} {{graph.name = "x"}}) -> ({y} {{graph.name = "y"}}) {{\n'
                f"  %y = graph.reduce <{self.kind}> %x axes {list(self.axes)} : {x} -> {y}\n  return %y : {y}\n}}\n")

    def torch(self, x, dtype=None):
        return torch.sum(x, self.axes, dtype=dtype) if self.kind == "sum" else torch.amax(x, self.axes)

    def error(self, result, x):
        """Relative, by norm, of sums; of the largest element, of maxima."""
        want = torch.zeros(self.result, device="cuda", dtype=torch.float64)
        if self.kind == "max":
            want = torch.amax(x, self.axes).double()
        elif 0 in self.axes:  # in parts: the input as float64 is large
            parts = x.flatten()[: x.numel()].split(1 << 24) if len(self.axes) == x.dim() else x.split(1 << 16)
            for part in parts:
                want += part.double().sum() if len(self.axes) == x.dim() else part.double().sum(self.axes)
        else:
            want = x.double().sum(self.axes)
        # A sum's terms cancel; what is rounded is their magnitude's square root, and the result.
        scale = max(want.norm().item(), (x.numel() / max(1, want.numel())) ** 0.5 * want.numel() ** 0.5)
        return (result.double() - want).norm().item() / scale


COLUMNS = ["vec = 4, warps = 8, ctas = 64", "vec = 4, warps = 4, ctas = 64", "vec = 4, warps = 16, ctas = 32",
           "vec = 4, warps = 8, ctas = 32", "vec = 4, warps = 8, ctas = 16", "vec = 4, warps = 4, ctas = 32",
           "vec = 2, warps = 8, ctas = 64", "vec = 8, warps = 8, ctas = 64", "vec = 8, warps = 4, ctas = 64",
           "vec = 8, warps = 8, ctas = 32", "vec = 8, warps = 16, ctas = 32", "vec = 4, warps = 8, ctas = 64, unroll = 4",
           "vec = 4, warps = 8, ctas = 64, unroll = 16", "vec = 2, warps = 8, ctas = 64, unroll = 16"]
MIDDLE = ["vec = 4, warps = 8", "vec = 4, warps = 4", "vec = 4, warps = 16", "vec = 8, warps = 8", "vec = 8, warps = 16",
          "vec = 2, warps = 8", "vec = 2, warps = 4", "vec = 4, warps = 2", "vec = 4, warps = 1",
          "vec = 4, warps = 4, ctas = 2", "vec = 4, warps = 4, ctas = 4", "vec = 4, warps = 8, unroll = 4"]
ROWS = ["threads = 512, ctas = 65536", "threads = 256, ctas = 65536", "threads = 1024, ctas = 65536",
        "threads = 128, ctas = 65536", "threads = 512, ctas = 1056", "threads = 256, ctas = 1056",
        "threads = 256, ctas = 2112", "threads = 512, ctas = 528"]


def all_cases():
    yield Case("sum of 2^28 bf16", "sum", [1 << 28], (0,), "bf16", "row", ROWS)
    yield Case("sum of 2^26 f32", "sum", [1 << 26], (0,), "f32", "row", ROWS)
    yield Case("sum of 2^20 f32", "sum", [1 << 20], (0,), "f32", "row", ROWS[:3] + ["threads = 1024, ctas = 1"])
    yield Case("row sums 4x2^24 bf16", "sum", [4, 1 << 24], (1,), "bf16", "row", ROWS)
    for dtype in ("bf16", "f32"):
        yield Case(f"column sums 1000000x100 {dtype}", "sum", [1000000, 100], (0,), dtype, "column", COLUMNS)
    for dtype in ("bf16", "f32"):
        yield Case(f"column sums 65536x1024 {dtype}", "sum", [65536, 1024], (0,), dtype, "column", COLUMNS)
    yield Case("column sums 8192x4096 bf16", "sum", [8192, 4096], (0,), "bf16", "column", COLUMNS[:6] + MIDDLE[:6])
    for dtype in ("f32", "bf16"):
        yield Case(f"max of the middle 64x2048x1024 {dtype}", "max", [64, 2048, 1024], (1,), dtype, "column", MIDDLE)


BARS = ("sum of 2^28 bf16", "column sums 1000000x100", "column sums 65536x1024 bf16", "max of the middle")


def bits(tensor):
    return tensor.reshape(-1).view(torch.uint8)


def host_seconds(run):
    """Of one call, Python's own included, while the device is far behind: the median of parts of 100."""
    parts = []
    for _ in range(10):
        torch.cuda.synchronize()
        torch.cuda._sleep(race.HEAD_START_CYCLES * 5)
        start = time.perf_counter()
        for _ in range(100):
            run()
        parts.append((time.perf_counter() - start) / 100)
    torch.cuda.synchronize()
    return statistics.median(parts)


def contestant(library, case, x, schedules):
    graph = library.compile(case.mlir, device="cuda", schedules=schedules)
    result = torch.empty(case.result, dtype=TYPES[case.dtype], device="cuda")
    bits(result).fill_(0xFF)
    run = graph.runner([x], [result], torch.cuda.current_stream().cuda_stream)
    run()
    torch.cuda.synchronize()
    kernel = json.loads(graph.report)["kernels"][0]
    return {"graph": graph, "run": run, "result": result, "schedule": kernel["schedule"],
            "grids": [program["grid"] for program in kernel["programs"]]}


def measure(library, case, arguments):
    x = torch.randn(case.shape, device="cuda", dtype=torch.float32).to(TYPES[case.dtype])
    made, refused = {"default": contestant(library, case, x, None)}, {}
    for schedules in case.schedules if arguments.schedules else []:
        try:
            made[schedules] = contestant(library, case, x, schedules)
        except kiln.Error as error:
            refused[schedules] = str(error)
    first = bits(made["default"]["result"]).clone()
    works = {name: one["run"] for name, one in made.items()}
    works["copy"] = race.copy_contestant(case.bytes)
    works["torch"] = lambda: case.torch(x)
    times, clock = race.race(works, arguments.rounds), race.sm_clock_mhz()
    rows = []
    for name, one in made.items():
        for _ in range(20):
            one["run"]()
        torch.cuda.synchronize()
        launches = len(one["grids"])
        rows.append({"name": name, "schedule": one["schedule"], "grids": one["grids"],
                     "error": case.error(one["result"], x), "same_bits": torch.equal(bits(one["result"]), first),
                     "seconds": statistics.median(times[name]), "copy": race.ratio(times, name, "copy"),
                     "torch": race.ratio(times, name, "torch"), "host_seconds": host_seconds(one["run"]) / launches})
        one["graph"].close()
    return {"case": case.name, "bytes": case.bytes, "sm_clock_mhz": clock, "refused": refused, "rows": rows,
            "copy_seconds": statistics.median(times["copy"]), "torch_seconds": statistics.median(times["torch"])}


def faults(case, record):
    """What is wrong or below a bar."""
    found = []
    for row in record["rows"]:
        if not row["same_bits"]:
            found.append(f"{row['name']}: other bits than the default's")
        if not row["error"] < 4e-3:  # half a unit of bf16
            found.append(f"{row['name']}: relative error {row['error']:.2e}")
    default = record["rows"][0]
    if case.name.startswith(BARS) and default["copy"]["median"] < BAR * MET:
        found.append(f"{default['copy']['median']:.3f} of a copy, the bar is {BAR}")
    return found


def show(record):
    print(f"{record['case']}: copy {record['copy_seconds'] * 1e6:.1f} us, torch {record['torch_seconds'] * 1e6:.1f} us, "
          f"SM clock {record['sm_clock_mhz']} MHz")
    for row in sorted(record["rows"], key=lambda row: row["seconds"]):
        copy = row["copy"]
        print(f"  {row['seconds'] * 1e6:8.1f} us  {copy['median']:.3f} of copy [{copy['low']:.3f} {copy['high']:.3f}]  "
              f"x{row['torch']['median']:.2f} of torch  host {row['host_seconds'] * 1e6:.2f} us a launch  "
              f"error {row['error']:.1e}  grids {' + '.join(row['grids'])}  {row['name']}"
              + (f" = {row['schedule']}" if row["name"] == "default" else ""))
    for schedules, why in record["refused"].items():
        print(f"  refused {schedules}: {' '.join(why.split())[:160]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="libkiln.so")
    parser.add_argument("--out", help="a JSON file to write")
    parser.add_argument("--case", action="append", default=[], help="only cases whose name holds this text")
    parser.add_argument("--schedules", action="store_true", help="race others beside the default ones")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU")
        return 3
    library = kiln.Library(arguments.library)
    torch.manual_seed(1)
    records, cases, failed = [], 0, 0
    for case in all_cases():
        if arguments.case and not any(text in case.name for text in arguments.case):
            continue
        cases += 1
        try:
            record = measure(library, case, arguments)
        except kiln.Error as error:
            print(f"{case.name}: {error}", flush=True)
            failed += 1
            continue
        record["faults"] = faults(case, record)
        show(record)
        for fault in record["faults"]:
            print(f"  WRONG OR BELOW THE BAR: {fault}")
        sys.stdout.flush()
        failed += bool(record["faults"])
        records.append(record)
        torch.cuda.empty_cache()
    if arguments.out:
        properties = torch.cuda.get_device_properties(0)
        pathlib.Path(arguments.out).write_text(json.dumps(
            {"date": datetime.date.today().isoformat(), "kiln": library.version, "gpu": properties.name,
             "torch": torch.__version__, "cuda": torch.version.cuda, "rounds": arguments.rounds, "cases": records},
            indent=1))
    print(f"{cases} cases, {failed} wrong or below the bar")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
