"""tools/summarize_tests.py counts what CTest reports, and calls nothing green that did not run."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SUMMARIZE = pathlib.Path(__file__).resolve().parents[2] / "tools" / "summarize_tests.py"

PASSED = '<testcase name="Good" status="run"><system-out>fine</system-out></testcase>'
FAILED = '<testcase name="Bad" status="fail"><failure message=""/></testcase>'
UNSTARTED = """<testcase name="Gone" status="notrun"><skipped message="Unable to find executable"/>
<system-out>Unable to find executable: gone</system-out></testcase>"""
BY_EXIT_CODE = """<testcase name="Script" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>no clang-format</system-out></testcase>"""
BY_GTEST = """<testcase name="Model" status="notrun">
<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>[ RUN      ] Model
/src/model_test.cpp:12: Skipped
no model file

[  SKIPPED ] Model (0 ms)
</system-out></testcase>"""


def run(*cases):
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results.xml")
        results.write_text(f"<testsuite>{''.join(cases)}</testsuite>")
        return subprocess.run([sys.executable, str(SUMMARIZE), str(results)],
                              capture_output=True, text=True, check=False)


class SummarizeTests(unittest.TestCase):
    def test_counts_are_the_last_line(self):
        result = run(PASSED, BY_EXIT_CODE, BY_GTEST)
        self.assertEqual(result.stdout.splitlines()[-1], "1 passed, 0 failed, 2 skipped")
        self.assertEqual(result.returncode, 0)

    def test_the_reason_of_a_skip_is_printed(self):
        lines = run(PASSED, BY_EXIT_CODE, BY_GTEST).stdout.splitlines()
        self.assertEqual(lines[lines.index("skipped: Model") + 1].strip(), "no model file")
        self.assertEqual(lines[lines.index("skipped: Script") + 1].strip(), "no clang-format")

    def test_a_failure_is_named_and_is_red(self):
        result = run(PASSED, FAILED)
        self.assertIn("failed: Bad\n1 passed, 1 failed, 0 skipped\n", result.stdout)
        self.assertEqual(result.returncode, 1)

    def test_a_test_that_could_not_start_is_red(self):
        result = run(PASSED, UNSTARTED)
        self.assertIn("failed: Gone\n1 passed, 1 failed, 0 skipped\n", result.stdout)
        self.assertEqual(result.returncode, 1)

    def test_a_run_in_which_nothing_passed_is_red(self):
        self.assertEqual(run(BY_GTEST).returncode, 1)


if __name__ == "__main__":
    unittest.main()
