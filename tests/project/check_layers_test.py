"""tools/check_layers.py refuses each kind of forbidden include, and nothing else."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_layers.py"


def run(files, *options):
    """The checker's result on a temporary tree of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "tessera").mkdir()
        for path, text in files.items():
            file = pathlib.Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return subprocess.run([sys.executable, str(CHECKER), *options, folder],
                              capture_output=True, text=True, check=False)


class CheckLayers(unittest.TestCase):
    def refuses(self, path, include, why):
        result = run({path: f"// one line\n#include {include}\n"})
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(f"{path}:2: ", result.stdout)
        self.assertIn(why, result.stdout)

    def accepts(self, path, include):
        result = run({path: f"#include {include}\n"})
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)

    def test_a_file_includes_its_own_layer_and_those_below(self):
        self.accepts("tessera/ops/matmul.cpp", '"tessera/ops/matmul.h"')
        self.accepts("tessera/ops/matmul.cpp", '"tessera/core/shape.h"')
        self.accepts("tessera/cli/main.cpp", '"tessera/models/load.h"')

    def test_a_layer_above_is_refused(self):
        self.refuses("tessera/core/shape.cpp", '"tessera/ir/array.h"', "layer 'ir' is above 'core'")
        self.refuses("tessera/io/gguf.h", '"tessera/text/bpe.h"', "layer 'text' is above 'io'")
        self.refuses("tessera/backend/a.h", '"tessera/backends/cpu/b.h"', "is above 'backend'")

    def test_spacing_and_the_angled_form_hide_nothing(self):
        self.refuses("tessera/ir/node.h", "<tessera/nn/linear.h>", "layer 'nn' is above 'ir'")
        result = run({"tessera/ir/node.h": '  #  include   "tessera/nn/linear.h"\n'})
        self.assertEqual(result.returncode, 1)

    def test_a_backend_does_not_include_another(self):
        self.refuses("tessera/backends/cpu/a.cpp", '"tessera/backends/cuda/b.h"',
                     "backend 'cpu' includes backend 'cuda'")
        self.accepts("tessera/backends/cpu/a.cpp", '"tessera/backends/cpu/kernels/b.h"')

    def test_private_headers_stay_in_their_layer(self):
        self.accepts("tessera/io/gguf.cpp", '"tessera/io/internal/cursor.h"')
        self.accepts("tessera/io/gguf.cpp", '"tessera/core/internal/fail.h"')
        self.refuses("tessera/text/bpe.cpp", '"tessera/io/internal/cursor.h"', "private to 'io'")
        self.refuses("tessera/graph/eval.cpp", '"tessera/backends/cpu/kernels/gemm.h"',
                     "private to 'cpu'")

    def test_public_headers_include_public_headers_and_the_standard_library_only(self):
        self.accepts("tessera/core/shape.h", "<cstdint>")
        for header in ("<fmt/format.h>", "<nlohmann/json.hpp>", "<pcre2.h>", "<utf8proc.h>",
                       "<curl/curl.h>", "<sys/mman.h>"):
            self.refuses("tessera/core/shape.h", header, "not standard C++")
            self.accepts("tessera/core/shape.cpp", header)
            self.accepts("tessera/core/internal/shape.h", header)
        self.refuses("tessera/io/gguf.h", '"tessera/core/internal/fail.h"', "not installed")

    def test_own_headers_are_named_by_their_full_path(self):
        self.refuses("tessera/io/gguf.cpp", '"gguf.h"', "full path")

    def test_no_layer_includes_the_umbrella_header(self):
        self.accepts("tessera/tessera.h", '"tessera/models/load.h"')
        self.refuses("tessera/nn/linear.cpp", '"tessera/tessera.h"', "above all layers")

    def test_an_unknown_folder_is_refused(self):
        result = run({"tessera/utils/misc.h": "#include <vector>\n"})
        self.assertEqual(result.returncode, 1)
        self.assertIn("tessera/utils: not a layer", result.stdout)

    def test_examples_use_what_is_installed(self):
        self.accepts("examples/chat.cpp", '"tessera/text/generate.h"')
        self.refuses("examples/chat.cpp", '"tessera/core/internal/fail.h"', "uses what is installed")

    def test_public_headers_are_listed_without_private_ones(self):
        result = run({"tessera/io/gguf.h": "", "tessera/io/internal/cursor.h": "",
                      "tessera/io/gguf.cpp": "", "tessera/cli/args.h": ""}, "--public-headers")
        self.assertEqual(result.stdout.split(), ["tessera/io/gguf.h"])


if __name__ == "__main__":
    unittest.main()
