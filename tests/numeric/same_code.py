#!/usr/bin/env python3
"""Whether two builds make the same code of the same kernels.

    same_code.py save TOOL DIR [--target ROW]...       TOOL (kiln-kernel-code) of the build to compare with
    same_code.py compare DIR TOOL [--map FILE] [--exceptions FILE] [--target ROW]...

`save` keeps, per target, every distinct kernel of the numeric cases and every tile program written by hand, and the code
that becomes of them. `compare` has another build make the code of these texts, and names those whose code differs. A map
has a line `regex TAB replacement` for each spelling that changed since; exceptions have lines `regex TAB count TAB
reason`: so many kernels whose text matches may differ. Ends 1 where anything else does."""

import argparse
import concurrent.futures
import difflib
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile

SEPARATOR = "//--- kernel\n"
TARGETS = ["sm_80", "sm_90a", "avx512"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHOWN = 20


def run(tool, target, *arguments):
    subprocess.run([tool, "--target", target, *map(str, arguments)], check=True)


def programs():
    """The texts of tile programs written by hand."""
    return [path.read_text() for folder in ("examples/tile", "tests/numeric/programs")
            for path in sorted((ROOT / folder).rglob("*.mlir"))]


def make(tool, target, texts):
    """The code of each text."""
    with tempfile.TemporaryDirectory() as folder:
        kernels, code = pathlib.Path(folder) / "kernels", pathlib.Path(folder) / "code"
        kernels.write_text("".join(text + SEPARATOR for text in texts))
        run(tool, target, "make", kernels, code)
        return code.read_text().split(SEPARATOR)[:-1]


def write(path, parts):
    with gzip.open(path, "wt", compresslevel=3) as file:
        file.write("".join(part + SEPARATOR for part in parts))


def read(path):
    with gzip.open(path, "rt") as file:
        return file.read().split(SEPARATOR)[:-1]


def save(tool, folder, target):
    with tempfile.TemporaryDirectory() as scratch:
        kernels = pathlib.Path(scratch) / "kernels"
        run(tool, target, "save", kernels)
        texts = kernels.read_text().split(SEPARATOR)[:-1]
    if target.startswith("sm"):
        texts += programs()
    write(folder / f"{target}.kernels.gz", texts)
    write(folder / f"{target}.code.gz", make(tool, target, texts))
    return len(texts)


def rows(path, columns):
    """The lines of a table, tab by tab."""
    if path is None:
        return []
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(line.split("\t", columns - 1)) for line in lines]


def compare(folder, tool, target, spellings):
    """(number of kernels, [(text, old code, new code)] of those whose code differs)."""
    texts, old = read(folder / f"{target}.kernels.gz"), read(folder / f"{target}.code.gz")
    mapped = []
    for text in texts:
        for pattern, replacement in spellings:
            text = re.sub(pattern, replacement, text)
        mapped.append(text)
    new = make(tool, target, mapped)
    return len(texts), [(t, a, b) for t, a, b in zip(mapped, old, new, strict=True) if a != b]


def show(target, text, old, new):
    print(f"{target}: other code of\n{text.strip()[:1500]}")
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "before", "now", lineterm="", n=1)
    print("\n".join(line[:160] for line in list(lines)[:16]), flush=True)


def report(found, exceptions):
    """Prints what differs, and returns how many kernels no exception covers."""
    left = {pattern: int(count) for pattern, count, _ in exceptions}
    different = uncovered = 0
    for target, (count, differences) in found.items():
        print(f"{target}: {count} kernels, {len(differences)} with other code")
        different += len(differences)
        for text, old, new in differences:
            covering = next((p for p in left if left[p] > 0 and re.search(p, text)), None)
            if covering is not None:
                left[covering] -= 1
                continue
            uncovered += 1
            if uncovered <= SHOWN:
                show(target, text, old, new)
    for pattern, count in left.items():
        if count:
            print(f"exception {pattern}: {count} fewer differ than it says")
    print(f"{sum(count for count, _ in found.values())} kernels, {different} with other code, {uncovered} unexplained")
    return uncovered


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["save", "compare"])
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--map", type=pathlib.Path)
    parser.add_argument("--exceptions", type=pathlib.Path)
    parser.add_argument("--target", action="append")
    options = parser.parse_args()
    targets = options.target or TARGETS
    with concurrent.futures.ThreadPoolExecutor() as pool:
        if options.command == "save":
            folder = pathlib.Path(options.second)
            folder.mkdir(parents=True, exist_ok=True)
            counts = pool.map(lambda target: save(options.first, folder, target), targets)
            for target, count in zip(targets, counts):
                print(f"{target}: {count} kernels")
            return 0
        spellings, folder = rows(options.map, 2), pathlib.Path(options.first)
        results = pool.map(lambda target: compare(folder, options.second, target, spellings), targets)
        return 1 if report(dict(zip(targets, results)), rows(options.exceptions, 3)) else 0


if __name__ == "__main__":
    sys.exit(main())
