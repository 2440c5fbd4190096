#!/usr/bin/env python3
"""Kiln as others use it: a project outside the tree, with an installed Kiln and with Kiln's sources inside it.

    package_test.py BUILD CXX CC

BUILD is a build tree in which the target kiln_package is built, with these compilers.
"""

import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = ROOT / "tests/package"
CC, CXX, BUILD = sys.argv.pop(), sys.argv.pop(), pathlib.Path(sys.argv.pop())
# Of the processor, so that other work on the machine does not count.
MAX_SECONDS = 3
MAX_BYTES = 1 << 20


def run(*command, code=0, **options):
    """What a program prints; it must end with this exit status."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def readme_block(language):
    """The last fenced block of README.md in `language`."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[-1]


class Package(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def installed(self):
        """A prefix with Kiln, moved from where it was installed to."""
        run("cmake", "--install", BUILD, "--prefix", self.path / "installed", "--strip")
        return (self.path / "installed").rename(self.path / "moved")

    def configure(self, source, build, *options):
        run("cmake", "-G", "Ninja", "-S", source, "-B", build, *options)

    def timed_build(self, build, what):
        def seconds():
            usage = resource.getrusage(resource.RUSAGE_CHILDREN)
            return usage.ru_utime + usage.ru_stime
        start = seconds()
        run("cmake", "--build", build)
        took = seconds() - start
        print(f"{what}: compiled and linked in {took:.1f} s of processor time")
        self.assertLessEqual(took, MAX_SECONDS)

    def check_program(self, program):
        """`program` is small, and is itself and `kiln::main`."""
        size = program.stat().st_size
        print(f"{program.name}: {size} bytes")
        self.assertLessEqual(size, MAX_BYTES)
        environment = {"PATH": os.environ["PATH"]}
        self.assertIn("within their bounds", run(program, "run", "--check", cwd="/", env=environment))
        self.assertIn("unknown", subprocess.run([program, "unknown"], capture_output=True, text=True).stderr)
        return environment

    def check_outside(self, build):
        environment = self.check_program(build / "outside")
        text = run(build / "outside", cwd="/", env=environment)
        self.assertIn("error caught: 1, own exception passes: 1, computes: 1", text)
        # One line each: rule, expected, found, hint, and the line of main.cpp.
        self.assertRegex(text, r"caught: .*matmul[\s\S]*main\.cpp:\d+")

    def test_readme(self):
        prefix, project = self.installed(), self.path / "hello"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(readme_block("cmake"))
        (project / "main.cpp").write_text(readme_block("cpp"))
        self.configure(project, project / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        self.timed_build(project / "build", "the program of README.md")
        self.check_program(project / "build/hello")

    def test_installed(self):
        prefix = self.installed()
        for cxx, cc in {(CXX, CC), ("g++", "gcc")}:
            if not shutil.which(cxx):
                print(f"there is no {cxx}")
                continue
            build = self.path / pathlib.PurePath(cxx).name
            self.configure(PROJECT, build, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={cxx}",
                           f"-DCMAKE_C_COMPILER={cc}")
            self.timed_build(build, cxx)
            self.check_outside(build)
            self.assertIn("Kiln's runtime", run(build / "outside-runtime"))
            self.assertIn(str(prefix / "lib"), run("ldd", build / "outside"))

    def test_installed_needs_neither_sources_nor_build_tree(self):
        prefix = self.installed()
        for file in filter(pathlib.Path.is_file, prefix.rglob("*")):
            if file.suffix in (".h", ".cmake"):
                for folder in (ROOT, BUILD, self.path / "installed"):
                    self.assertNotIn(str(folder), file.read_text(), file)
            elif file.read_bytes()[:4] == b"\x7fELF":
                self.assertNotRegex(run("readelf", "-d", file), r"R(UN)?PATH.*\[/", file)
        self.assertIn("cpu", run(prefix / "bin/kiln", "devices", env={}))
        self.assertIn("graph-fuse", run(prefix / "bin/kiln-opt", "--help", env={}))
        self.assertIn("Apache License", (prefix / "share/doc/kiln/LICENSE").read_text())

    def test_version(self):
        prefix = self.installed()
        for version, found in (("0.1", 1), ("0.2", 0), ("1.0", 0)):
            project = self.path / version
            project.mkdir()
            (project / "CMakeLists.txt").write_text(
                f"cmake_minimum_required(VERSION 3.25)\nproject(p CXX)\n"
                f"find_package(kiln {version} QUIET)\nmessage(\"found ${{kiln_FOUND}}\")\n")
            done = subprocess.run(["cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                                  capture_output=True, text=True, check=True)
            self.assertIn(f"found {found}", done.stderr)

    def test_sources_inside(self):
        """Building all of Kiln again takes minutes: one of its files and those that tablegen makes are, and the
        libraries are taken from the build tree, where the same commands made them."""
        build = self.path / "build"
        self.configure(PROJECT, build, f"-DKILN_SOURCE={ROOT}", f"-DCMAKE_CXX_COMPILER={CXX}",
                       f"-DCMAKE_C_COMPILER={CC}")
        ninja = ["ninja", "-C", build]
        run(*ninja, "-n", "outside", "outside-runtime")
        targets = run(*ninja, "-t", "targets", "all")
        for absent in ("kiln-unit", "kiln-sincos", "docs:"):
            self.assertNotIn(absent, targets)
        run(*ninja, "kiln/runtime/CMakeFiles/kiln_runtime.dir/kiln/Error.cpp.o", "kiln_op_summaries", "kiln_ptx_ods",
            "kiln_tiling_passes_ods")
        (build / "kiln/lib").mkdir(exist_ok=True)
        for library in ("libkiln.so", "libkiln_runtime.so"):
            (build / "kiln/lib" / library).symlink_to(BUILD / "lib" / library)
        for program, source in (("outside", "main.cpp"), ("outside-runtime", "runtime.c")):
            for output in (f"CMakeFiles/{program}.dir/{source}.o", program):
                run("sh", "-c", run(*ninja, "-t", "commands", "-s", output), cwd=build)
        self.check_outside(build)
        self.assertIn("Kiln's runtime", run(build / "outside-runtime"))


if __name__ == "__main__":
    unittest.main()
