"""The mlx backend as the program's user meets it: where MLX is found, what is refused, which tokens come.

    mlx_test.py PROGRAM OTHER_MLX MLX_FOLDER TEST...

OTHER_MLX is a library that says it is another version of MLX.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, OTHER, FOLDER = sys.argv[1:4]
del sys.argv[1:4]
HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("TESSERA_CACHE", pathlib.Path.home() / ".cache" / "tessera"))
SMOLLM2 = CACHE / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
TINY = HERE.parents[1] / "goldens" / "tiny"


def run(*arguments, **environment):
    variables = {**os.environ, **environment}
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, encoding="utf-8",
                          timeout=900, env={k: v for k, v in variables.items() if v is not None})


def mlx_status(**environment):
    """What `tessera info` says of the mlx backend."""
    result = run("info", "--json", **environment)
    assert result.returncode == 0, result.stderr
    return next(b for b in json.loads(result.stdout)["backends"] if b["name"] == "mlx")


class Library(unittest.TestCase):
    def test_is_found_where_the_variable_says(self):
        status = mlx_status()
        self.assertTrue(status["available"], status)
        self.assertTrue(status["facts"]["library"].startswith(FOLDER), status)

    def test_a_variable_that_names_nothing_is_an_error_and_nothing_else_is_tried(self):
        status = mlx_status(TESSERA_MLX_PATH="/nowhere/mlx")
        self.assertFalse(status["available"])
        self.assertIn("/nowhere/mlx (TESSERA_MLX_PATH): not there", status["reason"])
        self.assertNotIn("system", status["reason"])

    def test_another_version_is_refused_with_both_named(self):
        status = mlx_status(TESSERA_MLX_PATH=OTHER)
        self.assertFalse(status["available"])
        self.assertRegex(status["reason"], r"is MLX 0\.1\.2; this module is built for MLX \d+\.\d+")

    def test_a_file_that_is_no_library_is_refused_in_the_loaders_words(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as text:
            text.write(b"This is a text.\n")
            text.flush()
            status = mlx_status(TESSERA_MLX_PATH=text.name)
        self.assertFalse(status["available"])
        self.assertIn(text.name, status["reason"])

    def test_every_candidate_is_listed_when_none_serves(self):
        status = mlx_status(TESSERA_MLX_PATH=None, VIRTUAL_ENV=None, CONDA_PREFIX="/nowhere")
        if status["available"]:
            self.skipTest("this system has MLX installed")
        for origin in ("beside the module", "system"):
            self.assertIn(origin, status["reason"])


class Tokens(unittest.TestCase):
    @unittest.skipUnless(SMOLLM2.exists(), f"no {SMOLLM2.name} in the cache folder")
    def test_of_smollm2_are_those_of_the_reference(self):
        golden = json.loads((HERE.parents[1] / "goldens" / "greedy" / "smollm2.json").read_text())
        case = golden["prompts"][0]
        count = 16
        result = run("generate", SMOLLM2, "--backend", "mlx", "--raw", "--special", "--json",
                     "--prompt", case["rendered"], "--max-tokens", count)
        self.assertEqual(result.returncode, 0, result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual(answer["prompt_ids"], case["prompt_ids"])
        self.assertEqual(answer["ids"], case["ids"][:count])


if __name__ == "__main__":
    unittest.main(verbosity=2)
