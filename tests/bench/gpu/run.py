#!/usr/bin/env python3
"""Races Kiln beside PyTorch on this machine's GPU, in one process: `run.py LIBKILN [--out FILE] [--case TEXT]…`.

Prints a line per case: the error against a float64 reference, times, and the ratio to each peer with the middle half's
interval. With --out everything goes to a JSON file as well. Ends 1 if a result is wrong or a bar is missed."""

import argparse
import datetime
import json
import pathlib
import subprocess
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import cases as all_cases_module  # noqa: E402
import kiln  # noqa: E402
import race  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ERROR_LIMIT = 6e-3  # of a bf16 result: half a unit in 8 bits is 2e-3, a sum of a few roundings more
MET = 0.98  # of a bar


def peer_function(name, case):
    inputs = list(case.inputs.values())
    if name == "copy":
        return race.copy_contestant(case.bytes)
    if name == "torch.compile":
        compiled = torch.compile(case.torch_function)
        return lambda: compiled(*inputs)
    return lambda: case.torch_function(*inputs)


def reference_error(case, result):
    """Against torch in float64, on the first rows (all of a matmul's left operand's other extents are needed)."""
    rows = min(case.reference_rows, result.shape[0])
    first, *others = case.inputs.values()
    if case.cut_all:  # all inputs are cut alike
        cut = [t[: rows + t.shape[0] - result.shape[0]] for t in (first, *others)]
    else:
        cut = [first[:rows], *others]
    exact = case.torch_function(*(t.double() for t in cut))
    return race.relative_error(result[:rows], exact)


def run_case(library, case, rounds):
    graph = library.compile(case.mlir, device="cuda")
    inputs = list(case.inputs.values())
    info = graph.outputs[0]
    result = torch.full(info.shape, float("nan"), dtype=torch.bfloat16, device="cuda")
    stream = torch.cuda.current_stream().cuda_stream
    contestants = {"kiln": graph.runner(inputs, [result], stream)}
    contestants["kiln"]()
    torch.cuda.synchronize()
    error = reference_error(case, result)
    first = result.clone()
    for _ in range(20):
        contestants["kiln"]()
    torch.cuda.synchronize()
    same = bool((first.view(torch.int16) == result.view(torch.int16)).all())
    for name in case.peers:
        contestants[name] = peer_function(name, case)
    hot, clock = race.race(contestants, rounds), race.sm_clock_mhz()
    iso = race.race(contestants, max(5, rounds // 4), idle=True)
    record = {"case": case.name, "error": error, "same_bits_20": same, "sm_clock_mhz": clock,
              "seconds": race.medians(hot), "iso_seconds": race.medians(iso), "ratios": {}, "iso_ratios": {}}
    record["ok"] = same and error < ERROR_LIMIT
    for name in case.peers:
        record["ratios"][name] = race.ratio(hot, "kiln", name)
        record["iso_ratios"][name] = race.ratio(iso, "kiln", name)
    record["missed"] = [name for name, bar in case.target.items() if record["ratios"][name]["median"] < bar * MET]
    record["bars"] = case.target
    rate = case.flops or case.bytes
    record["rate"] = rate / record["seconds"]["kiln"]
    graph.close()
    return record


def line(record, case):
    unit = (1e12, "TFLOP/s") if case.flops else (1e12, "TB/s")
    text = f"{record['case']:28} error {record['error']:.1e}  {record['rate'] / unit[0]:7.2f} {unit[1]:7}"
    for name, r in record["ratios"].items():
        bar = f" (>= {record['bars'][name]})" if name in record["bars"] else ""
        text += f"  {r['median']:.3f} of {name} [{r['low']:.3f} {r['high']:.3f}] iso {record['iso_ratios'][name]['median']:.3f}{bar}"
    return text + ("" if record["ok"] else "  WRONG") + ("  MISSED" if record["missed"] else "")


def mma_ceiling():
    """TFLOP/s of mma.sync alone; None without nvcc."""
    program = "/tmp/kiln_mma_ceiling"
    try:
        subprocess.run(["nvcc", "-O3", "-arch=native", "-o", program, str(HERE / "mma_ceiling.cu")], check=True,
                       capture_output=True)
        return float(subprocess.run([program], check=True, capture_output=True, text=True).stdout)
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", help="libkiln.so")
    parser.add_argument("--out", help="a JSON file to write")
    parser.add_argument("--case", action="append", default=[], help="only cases whose name holds this text")
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU")
        return 3
    library = kiln.Library(arguments.library)
    torch.manual_seed(1)
    records, cases, failed = [], 0, 0
    ceiling = mma_ceiling()
    print(f"mma.sync alone: {ceiling} TFLOP/s", flush=True)
    for make in all_cases_module.all_cases():
        case = make()
        if arguments.case and not any(text in case.name for text in arguments.case):
            continue
        cases += 1
        try:
            record = run_case(library, case, arguments.rounds)
            print(line(record, case), flush=True)
            failed += not record["ok"] or bool(record["missed"])
            records.append(record)
        except kiln.Error as error:
            print(f"{case.name}: {error}", flush=True)
            failed += 1
        del case
        torch.cuda.empty_cache()
    if arguments.out:
        properties = torch.cuda.get_device_properties(0)
        pathlib.Path(arguments.out).write_text(json.dumps(
            {"date": datetime.date.today().isoformat(), "kiln": library.version, "gpu": properties.name,
             "torch": torch.__version__, "cuda": torch.version.cuda, "rounds": arguments.rounds,
             "mma_sync_tflops": ceiling, "cases": records}, indent=1))
    print(f"{cases} cases, {failed} wrong or below the bar")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
