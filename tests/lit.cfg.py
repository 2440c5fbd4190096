# Settings of the FileCheck tests. Run by ctest; by hand: lit -v .build/dev/tests [--filter=NAME]
import os
import lit.formats

config.name = "kiln"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.excludes = ["programs"]  # which the numeric suite runs
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join([config.kiln_bin, config.llvm_bin, os.environ.get("PATH", "")])
