#!/usr/bin/env python3
"""Sums up a JUnit file that CTest wrote: why tests were skipped, which failed, and last of all one
line, "N passed, N failed, N skipped". Exits with 1 when any failed or none passed.

    tools/summarize_tests.py build/release/test-results.xml
"""

import collections
import re
import sys
import xml.etree.ElementTree

# What GTEST_SKIP prints: the place, then the message on the lines that follow.
GTEST_REASON = re.compile(r": Skipped\n(.*?)\n*(?=^\[|\Z)", re.DOTALL | re.MULTILINE)


def skip_reason(case):
    output = case.findtext("system-out") or ""
    match = GTEST_REASON.search(output)
    reason = match[1] if match else output
    return " ".join(reason.split()) or "no reason given"


def outcome(case):
    """passed, failed or skipped. A test that could not start is failed, whatever CTest calls it."""
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    asked_for = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if asked_for or case.get("status") == "disabled" else "failed"


def main():
    passed, failed, skipped = [], [], collections.defaultdict(list)
    for case in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("testcase"):
        name, what = case.get("name"), outcome(case)
        if what == "skipped":
            skipped[skip_reason(case)].append(name)
        else:
            (passed if what == "passed" else failed).append(name)

    print()
    for reason, names in sorted(skipped.items()):
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        print(f"skipped: {', '.join(names[:3])}{more}\n    {reason}")
    for name in failed:
        print(f"failed: {name}")
    count = sum(len(names) for names in skipped.values())
    print(f"{len(passed)} passed, {len(failed)} failed, {count} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
