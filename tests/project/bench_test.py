#!/usr/bin/env python3
"""bench/run llm on the smallest model writes its page, its data and its chart. No time is looked at.

    tests/project/bench_test.py PROGRAM [SHARED_DATA]   TESSERA_TEST_DATA goes before SHARED_DATA
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = sys.argv[1]
MODEL = pathlib.Path(os.environ.get("TESSERA_TEST_DATA", sys.argv[2]), "stories260K.gguf")


class BenchLlm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.done = subprocess.run(
            [ROOT / "bench/run", "llm", "--no-build", "--program", PROGRAM, "--model", MODEL, "--rounds", "1",
             "--peers", "none", "--kernels-bench", "/nonexistent", "--prompt-tokens", "16",
             "--generate-tokens", "4", "--depth", "0", "--depth", "8", "--out", cls.folder.name],
            capture_output=True, text=True, check=False)
        cls.files = {path.suffix: path for path in pathlib.Path(cls.folder.name).iterdir()}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_succeeds(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)

    def test_data_has_each_mode_and_depth(self):
        (model,) = json.loads(self.files[".json"].read_text())["models"]
        self.assertEqual(set(model["rounds"]), {"tessera precise", "tessera fast"})
        for (run,) in model["rounds"].values():
            self.assertEqual(set(run["decode"]), {"0", "8"})
            self.assertGreater(run["prefill"]["wall"], 0)
            self.assertGreater(run["peak_resident_bytes"], model["file_bytes"] // 2)

    def test_page_shows_the_chart_and_the_work(self):
        page = self.files[".md"].read_text()
        self.assertIn(f"({self.files['.svg'].name})", page)
        for words in ("prefill 16", "decode 4 at depth 8", "## Targets"):
            self.assertIn(words, page)

    def test_chart_is_xml(self):
        root = xml.etree.ElementTree.parse(self.files[".svg"]).getroot()
        self.assertTrue(root.tag.endswith("svg"))


if __name__ == "__main__":
    if not MODEL.exists():
        print(f"skipped: no {MODEL}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
