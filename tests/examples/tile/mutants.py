#!/usr/bin/env python3
"""Random mutants of the programs of examples/tile: each is refused with a reason, or lowers. Prints what became of them.

    mutants.py KILN_OPT [--seed N] [--count M] [--keep FOLDER] [--run KILN_RUN_PROGRAMS]

A mutant is a program with one to three edits: another number, a line less, two lines in another order, another word. It must
end in a diagnostic or in code; a crash, a hang or a refusal without a reason fails. --keep writes those that lower, to
be assembled and run on a GPU, where a test may ask that they, too, end. --run interprets them: each ends, or is refused at
its launch, or runs longer than the interpreter waits. One that faults, or whose results differ from run to run, fails: a
verifier let it pass. Of the seeds that tests take there is none; of others there are, since what is wrong with some
programs, such as a result that is written to another place, only their author knows.
"""

import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import variants

SECONDS = 60
WORDS = [("transpose", ""), ("if %more", ""), ("readers 1", "readers 2"), ("readers 2", "readers 1"), ("<max>", "<min>"),
         ("cluster 2", ""), ("threads 384", "threads 256"), ("consumers 2", "consumers 1"), ("swizzle = 128", "swizzle = 64"),
         (", panel = 64", ""), ("bf16", "f16"), ("#tile.wgmma>", "#tile.wgmma_a>"), (" {tile.unroll}", ""), ("%c0", "%c1"),
         ("aligned 8", "aligned 16"), ("slt", "sle"), ("in_flight 1", "in_flight 2"), ("%base + %s", "%s")]


def code_lines(text):
    return [i for i, line in enumerate(text.splitlines()) if line.strip() and not line.strip().startswith("//")]


def other_number(text, rng):
    """One integer changed: doubled, halved, off by one, or 0."""
    found = rng.choice(list(re.finditer(r"(?<![%\w.])\d+(?=x|\b)", text)))
    number = int(found[0])
    changed = rng.choice([number * 2, number // 2, number + 1, number - 1, number + 8, 0])
    return text[:found.start()] + str(changed) + text[found.end():]


def line_less(text, rng):
    lines = text.splitlines()
    del lines[rng.choice(code_lines(text))]
    return "\n".join(lines)


def lines_swapped(text, rng):
    lines = text.splitlines()
    i = rng.choice([i for i in code_lines(text) if i + 1 < len(lines)])
    lines[i], lines[i + 1] = lines[i + 1], lines[i]
    return "\n".join(lines)


def other_word(text, rng):
    old, new = rng.choice([edit for edit in WORDS if edit[0] in text])
    places = [m.start() for m in re.finditer(re.escape(old), text)]
    at = rng.choice(places)
    return text[:at] + new + text[at + len(old):]


def other_value(text, rng):
    """One use of a value becomes another value of the program."""
    names = sorted(set(re.findall(r"%\w+", text)))
    at = rng.choice(list(re.finditer(r"(?<=[\[( ,])%\w+(?=[\],): ])", text)))
    return text[:at.start()] + rng.choice(names) + text[at.end():]


def mutant(seed):
    """(program's name, its mutated text)."""
    rng = random.Random(seed)
    program = rng.choice(sorted(variants.PROGRAMS.glob("*.mlir")))
    text = program.read_text()
    text = "\n".join(line for line in text.splitlines() if not line.strip().startswith("//"))
    for _ in range(rng.randint(1, 3)):
        text = rng.choice([other_number, other_number, line_less, lines_swapped, other_word, other_word, other_value])(text, rng)
    return program.stem, text


def target_of(program):
    return "sm_80" if "sm80" in program else "sm_90a"


def pipeline(program):
    target = target_of(program)
    return ("--pass-pipeline=builtin.module(tile.kernel(tile-expand),canonicalize,tile.kernel(tile-unroll),canonicalize,cse,"
            f"tile.kernel(tile-verify,tile-assign-shared{{target={target}}}),gpu-lower{{target={target}}})")


def outcome(kiln_opt, seed, keep=None):
    """(what became of the mutant, the reason)."""
    program, text = mutant(seed)
    try:
        done = subprocess.run([kiln_opt, pipeline(program)], input=text, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs", program
    if done.returncode == 0:
        if keep: (keep / f"{program}-{seed}.mlir").write_text(text)
        return "lowers", program
    reason = re.search(r"error: (.*)", done.stderr)
    if done.returncode < 0 or "PLEASE submit a bug report" in done.stderr: return "crashes", done.stderr[-400:]
    return ("refused", reason[1]) if reason else ("fails without a reason", done.stderr[-400:])


def interpreted(run, seed, folder):
    """What the interpreter says of a mutant that lowers: "ends", or another outcome, a colon, and the reason."""
    program, text = mutant(seed)
    path = pathlib.Path(folder) / f"{program}-{seed}.mlir"
    path.write_text(text)
    try:
        done = subprocess.run([run, "--target", target_of(program), path], capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "hangs: in the interpreter"
    said = re.fullmatch(re.escape(str(path)) + r" ((ends|differs|faults|refused|endless)\b.*)\s*", done.stdout, re.DOTALL)
    return said[1].rstrip() if said else f"crashes: in the interpreter: {done.stderr[-400:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kiln_opt")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--run")
    arguments = parser.parse_args()
    if arguments.keep: arguments.keep.mkdir(parents=True, exist_ok=True)
    counts, runs, wrong = collections.Counter(), collections.Counter(), 0
    folder = tempfile.TemporaryDirectory()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        what, reason = outcome(arguments.kiln_opt, seed, arguments.keep)
        counts[what] += 1
        if what not in ("refused", "lowers"):
            wrong += 1
            print(f"seed {seed} {what}: {reason}")
        if what != "lowers" or not arguments.run: continue
        said = interpreted(arguments.run, seed, folder.name)
        runs[said.partition(":")[0]] += 1
        wrong += said.startswith(("hangs", "crashes", "faults", "differs"))
        if said != "ends": print(f"seed {seed}, {reason}, {said}")
    for one in (counts, runs):
        if one: print(", ".join(f"{count} {what}" for what, count in sorted(one.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
