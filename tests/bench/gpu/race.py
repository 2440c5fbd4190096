"""Races on one GPU: all contestants in turn in one process, the L2 flushed before every launch, medians of per-round
ratios with their interval. A contestant is a function that gives its work to torch's current stream and does not wait."""

import statistics
import subprocess
import time

import torch

FLUSH_BYTES = 256 << 20
IDLE_SECONDS = 0.25
HEAD_START_CYCLES = 2_000_000  # about a millisecond


def sm_clock_mhz():
    """The SM clock now, as nvidia-smi reads it; None where it cannot."""
    query = ["nvidia-smi", "--query-gpu=clocks.sm", "--format=csv,noheader,nounits"]
    try:
        return int(subprocess.run(query, capture_output=True, text=True, timeout=10).stdout.split()[0])
    except (OSError, ValueError, IndexError, subprocess.TimeoutExpired):
        return None


class Flush:
    """Memory of the size of several L2s, written before each launch."""

    def __init__(self):
        self.memory = torch.empty(FLUSH_BYTES // 4, dtype=torch.int32, device="cuda")

    def __call__(self):
        self.memory.zero_()


def time_once(work, flush):
    """Seconds of device time of one call, behind a flush. The device waits first, so that what the host takes to give the
    call is not timed: after a rest that is longer than a flush."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(HEAD_START_CYCLES)
    flush()
    begin.record()
    work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3


def race(contestants, rounds=20, idle=False):
    """Times {name: function} round-robin; returns {name: [seconds, …]}, a list of equal length each."""
    flush = Flush()
    for work in contestants.values():  # compile, allocate, warm up
        for _ in range(3):
            work()
    torch.cuda.synchronize()
    times = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            if idle:
                torch.cuda.synchronize()
                time.sleep(IDLE_SECONDS)
            times[name].append(time_once(work, flush))
    return times


def ratio(times, name, peer):
    """Median of how many times faster `name` was than `peer`, round by round, and the middle half's interval."""
    ratios = sorted(p / n for n, p in zip(times[name], times[peer], strict=True))
    quarter = len(ratios) // 4
    return {"median": statistics.median(ratios), "low": ratios[quarter], "high": ratios[-1 - quarter]}


def medians(times):
    return {name: statistics.median(values) for name, values in times.items()}


def copy_contestant(total_bytes):
    """A device copy that moves `total_bytes`, reads and writes together."""
    source = torch.empty(total_bytes // 2, dtype=torch.uint8, device="cuda").random_(0, 255)
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def relative_error(got, want):
    """‖got − want‖ / ‖want‖ against a float64 reference; NaN if anything was left unwritten."""
    difference = got.double() - want
    return (difference.norm() / want.norm()).item()
