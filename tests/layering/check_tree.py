#!/usr/bin/env python3
"""Hold a source tree to the rules of the house: which room includes which, and what a file may be like.

    check_tree.py [ROOT]          default: the repository this file is in

Prints one line per violation, "file:line: rule: what"; exit status 0 none, 1 some, 2 wrong usage. Which files belong to
the tree git says; in a folder that is no repository, all of them do.
"""

import pathlib
import re
import subprocess
import sys

# room -> the rooms it may include, itself aside
ROOMS = {
    "runtime": set(),
    "ir": {"runtime"},
    "passes": {"ir", "runtime"},
    "codegen": {"ir", "runtime"},
    "compiler": {"ir", "passes", "codegen", "runtime"},
    "examples": {"kiln"},  # the public headers
    "tests": {"ir", "passes", "codegen", "runtime", "compiler", "examples", "kiln"},
}
# Folders of a room in the order in which each may include those before it: those in one place do as they like, and a
# folder that is not named, or of a room that is not, only may not stand in a circle.
ORDER = {"passes": ["functions", "cost", "kernel", "graph tiling tile", "plan"]}
FOLDERS = {*ROOMS, ".ci"}
FILES = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "setup", ".clang-format", ".clang-tidy",
         ".gitignore"}
# Where the public headers are; what includes <kiln/...> includes the room that holds the header.
PUBLIC = ("runtime/kiln", "compiler/kiln")
# Rooms and headers that see no LLVM.
NO_LLVM = ("runtime/", "compiler/kiln/", "examples/")
LLVM = {"llvm", "mlir", "clang", "lld"}

SOURCE = {".h", ".cpp", ".td", ".py", ".cmake", ".inc"}
MAX_LINES = 400
# These speak of the rules they hold others to.
EXEMPT = {"tests/layering/check_tree.py", "tests/layering/check_tree_test.py"}
BANNED = [
    (re.compile(r"/(?:work|root|home)/[A-Za-z0-9]"), "a path of one machine"),
    (re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b"), "a note to finish it later"),
    (re.compile(r"\bissue #?\d+\b|\(#\d+\)", re.IGNORECASE), "a number of an issue"),
    (re.compile(r"\b(?:pypi\.org|files\.pythonhosted\.org|deb\.debian\.org|huggingface\.co)\b"), "a registry's host"),
    (re.compile(r"\b(?:chatgpt|claude|copilot|as an ai\b)", re.IGNORECASE), "a word that has no place here"),
]
ENVIRONMENT = re.compile(r"\b(?:secure_)?getenv\s*\(")

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
TD_INCLUDE = re.compile(r'^\s*include\s+"([^"]+)"')
PASS = re.compile(r'^def \w+ : Pass<"([a-z0-9]+)-([a-z0-9-]+)"', re.MULTILINE)


def tree_files(root):
    """The paths of the tree's files relative to `root`."""
    if (root / ".git").exists():
        done = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                              capture_output=True, check=True, text=True)
        names = [name for name in done.stdout.split("\0") if name and (root / name).is_file()]
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    return sorted(names)


def included_room(root, name, target):
    """The room that `target`, included by the file `name`, is in: a key of ROOMS, "kiln" for a public header, None for
    a library's."""
    first = target.split("/")[0]
    if first == "kiln":
        return "kiln"
    if "/" in target and first in ROOMS:
        return first
    beside = (root / name).parent / target
    return name.split("/")[0] if beside.is_file() else None


def public_room(root, target):
    """The room that holds the public header `target`, such as "kiln/Graph.h"; None if no room does."""
    return next((folder.split("/")[0] for folder in PUBLIC if (root / folder / target[len("kiln/"):]).is_file()), None)


def check_include(root, name, target):
    """What is wrong with an #include of `target` in the file `name`; None if nothing is."""
    room = name.split("/")[0]
    if target.split("/")[0] in LLVM and name.startswith(NO_LLVM):
        return "no LLVM here"
    included = included_room(root, name, target)
    if included is None or included == room:
        return None
    if included == "kiln":
        holder = public_room(root, target)
        if holder is None:
            return "there is no such public header"
        if "kiln" in ROOMS[room] or holder == room or holder in ROOMS[room]:
            return None
        return f"{room} may not include {holder}"
    return None if included in ROOMS[room] else f"{room} may not include {included}"


def folder_includes(root, name, text):
    """(line, folder, included folder) for every #include from one folder in another one of the folder in which both
    files are, however deep: "passes/graph" in "passes/cost", "passes/tiling/cpu" in "passes/tiling/sm80"."""
    own = name.split("/")[:-1]
    if own[:1] == ["tests"]:
        return
    for number, line in enumerate(text.split("\n"), 1):
        match = (TD_INCLUDE if name.endswith(".td") else INCLUDE).match(line)
        path = match[1] if match else ""
        other = (f"{public_room(root, path)}/{path}" if path.startswith("kiln/") else path).split("/")[:-1]
        common = next((i for i, (mine, its) in enumerate(zip(own, other)) if mine != its), 0)
        if common:
            yield number, "/".join(own[:common + 1]), "/".join(other[:common + 1])


def check_folders(includes):
    """(file, line, rule, what) for every include, (file, line, folder, included), that closes a circle of folders, or
    goes against their order."""
    direct = {}
    for _, _, own, other in includes:
        direct.setdefault(own, set()).add(other)

    def way(start, goal):
        """The shortest way of includes from one folder to another one, both named; None: there is none."""
        seen, ways = {start}, [[start]]
        for found in ways:
            if found[-1] == goal:
                return found
            ways += [[*found, other] for other in sorted(direct.get(found[-1], set()) - seen)]
            seen |= direct.get(found[-1], set())
        return None

    for name, line, own, other in includes:
        room, place = own.split("/")[0], {}
        for rank, folders in enumerate(ORDER.get(room, [])):
            place.update({f"{room}/{folder}": rank for folder in folders.split()})
        if back := way(other, own):
            yield name, line, "circle", " > ".join([own, *back])
        elif place.get(own, 99) < place.get(other, 0):
            yield name, line, "circle", f"{own} comes before {other}"


def check_lines(root, name, text):
    """(line, rule, what) for every line of a file that breaks a rule."""
    suffix, room = pathlib.PurePath(name).suffix, name.split("/")[0]
    include = {".h": INCLUDE, ".cpp": INCLUDE, ".inc": INCLUDE, ".td": TD_INCLUDE}.get(suffix)
    for number, line in enumerate(text.split("\n"), 1):
        match = include.match(line) if include and room in ROOMS else None
        if match and (wrong := check_include(root, name, match[1])):
            yield number, "include", f"{wrong}: {match[1]}"
        if room in ("runtime", "ir", "passes", "codegen") and ENVIRONMENT.search(line):
            yield number, "environment", "the environment is read at the edge only"
        for pattern, what in BANNED:
            if match := pattern.search(line):
                yield number, "word", f"{what}: {match[0]}"


def check_place(name):
    """What is wrong with where the file `name` is; None if nothing is."""
    parts = name.split("/")
    if len(parts) == 1:
        return None if name in FILES else "no such file belongs at the top"
    return None if parts[0] in FOLDERS else f"no folder {parts[0]} belongs at the top"


def check_passes(name, text, names):
    """(line, rule, what) for every pass of a Passes.td whose file or lit test does not have its name: graph-pad is in
    Pad.cpp (or GraphPad.cpp), tested by pad.mlir (or graph-pad.mlir)."""
    folder = name.rsplit("/", 1)[0]
    below = [other for other in names if other.startswith(folder + "/")]
    tests = [other for other in names if other.startswith(f"tests/{folder}/")]
    for match in PASS.finditer(text):
        prefix, flag = match.groups()
        line = text.count("\n", 0, match.start()) + 1
        camel = "".join(word.capitalize() for word in flag.split("-"))
        if not any(other.rsplit("/", 1)[-1] in (f"{camel}.cpp", f"{prefix.capitalize()}{camel}.cpp") for other in below):
            yield line, "pass", f"{prefix}-{flag} has no {camel}.cpp"
        if not any(other.rsplit("/", 1)[-1] in (f"{flag}.mlir", f"{prefix}-{flag}.mlir") for other in tests):
            yield line, "pass", f"{prefix}-{flag} has no test tests/{folder}/{flag}.mlir"


def check_tree(root):
    """Every violation in the tree at `root`, as (file, line, rule, what)."""
    violations, includes = [], []
    names = tree_files(root)
    for name in names:
        if wrong := check_place(name):
            violations.append((name, 1, "place", wrong))
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # data
        if name in EXEMPT or name == "LICENSE" or name.endswith(".jsonl"):
            continue
        lines = text.count("\n")
        if pathlib.PurePath(name).suffix in SOURCE and lines > MAX_LINES:
            violations.append((name, lines, "length", f"{lines} lines, at most {MAX_LINES}"))
        violations += [(name, *found) for found in check_lines(root, name, text)]
        if pathlib.PurePath(name).suffix in {".h", ".cpp", ".td", ".inc"}:
            includes += [(name, *found) for found in folder_includes(root, name, text)]
        if name.endswith("/Passes.td"):
            violations += [(name, *found) for found in check_passes(name, text, names)]
    violations += check_folders(includes)
    for room in ROOMS:
        if any(name.startswith(room + "/") for name in names) and f"{room}/README.md" not in names:
            violations.append((f"{room}/README.md", 1, "readme", "every room has one"))
    return violations


def main():
    if len(sys.argv) > 2:
        print("usage: check_tree.py [ROOT]", file=sys.stderr)
        return 2
    root = pathlib.Path(sys.argv[1] if len(sys.argv) == 2 else pathlib.Path(__file__).parents[2]).resolve()
    violations = check_tree(root)
    for name, line, rule, what in violations:
        print(f"{name}:{line}: {rule}: {what}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
