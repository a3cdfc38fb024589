#!/usr/bin/env python3
"""Writes docs/contract.md from the op table, so that the page cannot drift from the op files.

    tools/write_contract.py PROGRAM [--check]

PROGRAM is the tessera program. --check compares instead, and fails when the page is out of date.
Families are those of ops/ops.def; attributes, texts and coverage come from `tessera info --ops`, and what an
op is lowered to from `tessera conformance --lowerings`, which lowers the golden cases and looks.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "contract.md"

HEAD = """# The op contract

What a backend must be able to do, op by op: the text of each op's own file (`tessera/ops`), put together by
`tools/write_contract.py`. [conformance.md](conformance.md) says how an implementation is proven.

* **Required** ops need a kernel in every backend; **optional** ones are lowered to other ops, by rules that stand beside
  them, wherever a backend lacks a kernel. `tessera info --ops` shows which is which on this machine.
* Shapes: an op takes exactly what its line says, and the function that users call (it has MLX's name, arguments and
  defaults) reshapes and broadcasts to that. Zero-size and rank-0 arrays are legal everywhere; sizes and strides are 64-bit.
* Dtypes: *any* is every dtype; *real* leaves complex64 out; *floating* is float16, bfloat16, float32 and float64 (a
  CPU's); *integer* is signed or unsigned; *half types* are float16 and bfloat16. Where an op wants one dtype, the
  function promotes its arguments by MLX's table (`promote_types`), and integers and bool go to float32 first where an
  op wants floating ones. A number beside an array takes the array's dtype.
* Half types are computed in float32 and rounded once, to nearest even: sums and products above all.
* Attributes are the op's members, with the default that a plain op has; they are set by the function, normalised (an
  axis is never negative).
* NaN: elementwise ops, sums and products give NaN for NaN unless a line says otherwise; every NaN is as good as another.
  At infinities and at zeros of either sign, functions have the values of C's <math.h>, and NaN outside their domain.
  complex64 numbers compare by their real parts, then by their imaginary ones.
* What an op refuses it refuses before a kernel runs, with shapes or dtypes in the message; an index out of range is
  refused when it runs.
* *Lowered to* names what the lowering calls on some of the suite's cases; optional ones among them are lowered in turn.
* Where MLX leaves something open or does otherwise, [decision 6](decisions/0006-where-we-differ-from-mlx.md) has it.

## Coverage

"""


def ask(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--json"], capture_output=True,
                                     text=True, check=True).stdout)


def families():
    """The headings of ops.def with the structs below each, in order."""
    out = []
    for line in (ROOT / "tessera/ops/ops.def").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"// ((?:\w+\.h(?:, )?)+)", line):
            out.append((heading[1], 0))
        elif line.startswith("TESSERA_OP("):
            out[-1] = (out[-1][0], out[-1][1] + 1)
    return out


def coverage(ops):
    """Of the backends that every build has; `tessera info --ops` has those of one machine."""
    rows = ["| op | | cpu |\n|---|---|---|\n"]
    for op in ops:
        rows.append(f"| [`{op['name']}`](#{op['name']}) | {kind(op)} | {op['backends']['cpu']} |\n")
    return "".join(rows)


def kind(op):
    return "required" if op["required"] else "optional"


def entry(op, lowerings):
    lines = [f"### {op['name']}\n\n", f"{op['doc']} *{kind(op).capitalize()}.*\n\n",
             f"* shapes: {op['shapes']}\n", f"* dtypes: {op['dtypes']}\n"]
    for a in op["attributes"]:
        lines.append(f"* `{a['name']}` ({a['type']}; {a['default']}): {a['doc']}\n")
    if not op["required"]:
        names = ", ".join(f"`{name}`" for name in lowerings[op["name"]])
        lines.append(f"* lowered to: {names or 'its inputs'}\n")
    return "".join(lines) + "\n"


def page(program):
    ops = ask(program, "info", "--ops")
    lowerings = ask(program, "conformance", "--lowerings")
    unseen = [op["name"] for op in ops if op["name"] not in lowerings]
    if unseen:
        sys.exit(f"no case of the suite reaches {', '.join(unseen)}")
    text = HEAD + coverage(ops) + "\n"
    at = 0
    for heading, count in families():
        text += f"## {heading}\n\n"
        text += "".join(entry(op, lowerings) for op in ops[at:at + count])
        at += count
    return text.rstrip("\n") + "\n"


def main():
    text = page(sys.argv[1])
    if "--check" not in sys.argv[2:]:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE.name} is out of date: run tools/write_contract.py {sys.argv[1]}")


if __name__ == "__main__":
    main()
