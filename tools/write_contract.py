#!/usr/bin/env python3
"""Writes docs/contract.md from the op table, so that the page cannot drift from the op files.

    tools/write_contract.py PROGRAM [--check]

PROGRAM is the tessera program. --check compares instead, and fails when the page is out of date.
"""

import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "contract.md"

HEAD = """# The op contract

What a backend must be able to do, op by op: the text of each op's own file (`tessera/ops`), put together by
`tools/write_contract.py`. [conformance.md](conformance.md) says how an implementation is proven.

* **Required** ops need a kernel in every backend; **optional** ones are lowered to required ops, by rules that stand
  beside them, wherever a backend lacks a kernel. `tessera info --ops` shows which is which on this machine.
* Storage dtypes are MLX's. Sums of float16 and bfloat16 (reductions, softmax, norms, products, attention) are kept in
  float32 and rounded once.
* Zero-size and rank-0 arrays are legal everywhere; sizes and strides are 64-bit. What an op refuses it refuses
  before a kernel runs, with shapes or dtypes in the message; an index out of range is refused when it runs.
* Where MLX leaves something open or does otherwise, [decision 6](decisions/0006-where-we-differ-from-mlx.md) has it.

| op | | on cpu | what it is |
|---|---|---|---|
"""


def page(program):
    ops = json.loads(subprocess.run([program, "info", "--ops", "--json"], capture_output=True,
                                    text=True, check=True).stdout)
    rows = []
    for op in ops:
        kind = "required" if op["required"] else "optional"
        doc = op["doc"].replace("|", "\\|")
        rows.append(f"| `{op['name']}` | {kind} | {op['backends']['cpu']} | {doc} |\n")
    return HEAD + "".join(rows)


def main():
    text = page(sys.argv[1])
    if "--check" not in sys.argv[2:]:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE.name} is out of date: run tools/write_contract.py {sys.argv[1]}")


if __name__ == "__main__":
    main()
