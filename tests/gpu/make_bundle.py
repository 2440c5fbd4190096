#!/usr/bin/env python3
"""Pack what a GPU machine needs to test and time Kiln: programs and libraries, stripped, headers, scripts, MiniLM.

    make_bundle.py --strip STRIP --minilm KILN_MINILM --output BUNDLE.tar.xz [--quick] FILE...

FILEs are programs and libraries (*.so), which may need nothing of a machine but its C library, and those with Kiln's C++
API its C++ library. --quick packs without
much compressing. Prints the size.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "kiln-bundle"
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"}
# libkiln.so and what links it have one C++ library together.
CXX = {"libstdc++.so.6", "libgcc_s.so.1"}
WITH_CXX = {"libkiln.so": CXX, "kiln": CXX | {"libkiln.so"}}
# The programs share most of their code: a dictionary as large as several of them finds it again.
DICTIONARY = "192MiB"
# Ubuntu 24.04 has these versions of the C and the C++ library.
NEWEST = {"GLIBC": (2, 39), "GLIBCXX": (3, 4, 33), "CXXABI": (1, 3, 15), "GCC": (14,)}


def needs(path):
    """The shared libraries that an ELF file needs, and of each row of NEWEST the newest version it asks for."""
    done = subprocess.run(["readelf", "-W", "-d", "-V", str(path)], capture_output=True, check=True, text=True)
    newest = {name: max((tuple(map(int, version.split("."))) for version in
                         re.findall(rf"\b{name}_(\d+(?:\.\d+)*)", done.stdout)), default=()) for name in NEWEST}
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout)), newest


def foreign(path):
    """What an ELF file needs that another machine may not have, in words; empty: nothing."""
    libraries, newest = needs(path)
    lacking = sorted(libraries - SYSTEM - WITH_CXX.get(path.name, set()))
    return lacking + [f"{name}_{'.'.join(map(str, version))}" for name, version in newest.items() if version > NEWEST[name]]


def check_needs(path):
    if lacking := foreign(path):
        sys.exit(f"{path} needs {', '.join(lacking)}, which another machine may not have")


def tracked_files(*folders):
    """Files of the tree below `folders`, as git knows them, or all of them where there is no git."""
    if (ROOT / ".git").exists():
        command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders]
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]
    return [str(path.relative_to(ROOT)) for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file()]


def revision():
    """What this is a bundle of, in a line."""
    git = ["git", "-C", str(ROOT)]
    done = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
    if done.returncode:
        return "unknown"
    changed = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True).stdout
    return done.stdout.strip() + (" with changes" if changed else "")


def fill(folder, arguments):
    for file in map(pathlib.Path, arguments.files):
        check_needs(file)
        target = folder / ("lib" if file.suffix == ".so" else "bin") / file.name
        target.parent.mkdir(exist_ok=True)
        subprocess.run([arguments.strip, "--strip-all", "-o", str(target), str(file)], check=True)
        target.chmod(0o755)
    (folder / "include/kiln").mkdir(parents=True)
    for room in ("runtime", "compiler"):
        for header in (ROOT / room / "kiln").glob("*.h"):
            shutil.copy(header, folder / "include/kiln")
    for name in tracked_files("tests/gpu", "tests/bench", "examples/tile", "tests/examples/tile"):
        if pathlib.PurePath(name).suffix in (".py", "", ".mlir") or "/gpu/" in name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    model = subprocess.run([arguments.minilm, "dump", "--level", "source"], capture_output=True, check=True, text=True)
    (folder / "models").mkdir()
    (folder / "models/minilm.mlir").write_text(model.stdout)
    (folder / "REVISION").write_text(revision() + "\n")


def pack(folder, output, quick):
    """One compressed archive, which a reader sees whole or not at all."""
    unfinished = output.with_name(output.name + ".tmp")
    options = ["-0"] if quick else ["--x86", f"--lzma2=preset=0,dict={DICTIONARY}"]
    with unfinished.open("wb") as out:
        xz = subprocess.Popen(["xz", "--compress", "--stdout", *options], stdin=subprocess.PIPE, stdout=out)
        with tarfile.open(fileobj=xz.stdin, mode="w|") as tar:
            tar.add(folder, NAME)
        xz.stdin.close()
        if xz.wait():
            sys.exit("xz failed")
    os.replace(unfinished, output)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strip", required=True)
    parser.add_argument("--minilm", required=True)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / NAME
        folder.mkdir()
        fill(folder, arguments)
        pack(folder, arguments.output, arguments.quick)
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
