"""What the documents say of the tree holds: error codes, dependencies, links and paths."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Docs(unittest.TestCase):
    def test_every_error_code_has_a_row_in_errors_md(self):
        enum = re.search(r"enum class ErrorCode \{(.*?)\};", read("tessera/core/error.h"), re.DOTALL)
        codes = re.findall(r"^\s*(\w+),", enum[1], re.MULTILINE)
        self.assertGreater(len(codes), 5)
        rows = re.findall(r"^\| `(\w+)` \|", read("docs/errors.md"), re.MULTILINE)
        self.assertEqual(rows, codes)

    def test_every_dependency_of_the_build_is_explained(self):
        build = [read(path.relative_to(ROOT)) for pattern in ("cmake/*.cmake", "**/CMakeLists.txt")
                 for path in ROOT.glob(pattern) if "build" not in path.relative_to(ROOT).parts]
        named = set(re.findall(r"(?:find_package|tessera_find|tessera_find_module|pkg_check_modules)\((\w+)",
                               "\n".join(build)))
        explained = read("docs/dependencies.md").lower().replace("/", "_")
        known_as = {"GTest": "googletest", "PkgConfig": "pkg-config", "Python3": "python 3",
                    "benchmark": "google benchmark"}
        for name in named - {"tessera", "package"}:
            self.assertIn(known_as.get(name, name).lower(), explained, name)

    def test_the_program_in_the_readme_is_an_example_that_runs(self):
        program = re.search(r"```cpp\n(.*?)```", read("README.md"), re.DOTALL)[1]
        self.assertIn(program, read("examples/first_words.cpp"))

    def test_links_lead_to_files(self):
        for document in DOCUMENTS:
            prose = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
                if "://" not in target:
                    self.assertTrue((document.parent / target).exists(), f"{document}: {target}")

    def test_paths_in_backticks_exist(self):
        """`tools/format` from the root; `ops/ops.def` from tessera/, where layers have their names."""
        roots = [ROOT, ROOT / "tessera"]
        folders = {path.name for root in roots for path in root.iterdir() if path.is_dir()}
        checked = 0
        for document in DOCUMENTS:
            text = document.read_text(encoding="utf-8")
            for path in re.findall(r"`\.?/?((?:[\w.-]+/)+[\w.-]*)`", text):
                if path.split("/")[0] in folders - {"build"}:
                    checked += 1
                    self.assertTrue(any((root / path).exists() for root in roots),
                                    f"{document}: {path}")
        self.assertGreater(checked, 10)


if __name__ == "__main__":
    unittest.main()
