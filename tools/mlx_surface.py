#!/usr/bin/env python3
"""Which functions of MLX's C++ headers this library has: prints them header by header.

    tools/mlx_surface.py MLX_INCLUDE [--page FILE]

MLX_INCLUDE is the folder that holds mlx/ops.h (in a Python installation of MLX: mlx/include). --page writes
the list as Markdown instead (docs/mlx-surface.md). Names are compared, not signatures.
"""

import argparse
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ("ops.h", "einsum.h", "random.h", "linalg.h", "fft.h", "fast.h", "io.h", "transforms.h",
           "compile.h", "memory.h", "utils.h", "export.h", "stream.h", "device.h")
NOT_FUNCTIONS = {"if", "for", "while", "switch", "return", "sizeof", "decltype", "static_assert", "throw"}


def without_bodies(text):
    """Declarations only: comments, preprocessor lines, and what stands in braces of functions and classes."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#[^\n]*(?:\\\n[^\n]*)*", " ", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r'extern "C"', " ", text)
    out, namespaces, skipped = [], [], 0
    for piece in re.split(r"([{};])", text):
        if piece == "{":
            opens = re.search(r"\bnamespace\b[\w:\s]*$", "".join(out[-1:]))
            if skipped or not opens:
                skipped += 1
            else:
                namespaces.append(piece)
        elif piece == "}":
            if skipped:
                skipped -= 1
                if not skipped:
                    out.append(";")
            elif namespaces:
                namespaces.pop()
        elif not skipped:
            out.append(piece)
    return "".join(out)


def functions(path):
    """Names that are called with arguments at namespace level, in order."""
    names = []
    for declaration in without_bodies(path.read_text(encoding="utf-8")).split(";"):
        # the name before the first parenthesis that opens a parameter list
        flat = re.sub(r"\s+", " ", declaration)
        flat = re.sub(r"MLX_API|TESSERA_API|requires\s*\(.*?\)\s*", "", flat)
        found = re.search(r"[\w>&*]\s+[&*]?(operator ?[^\w\s(]+|operator|\w+) ?\(", flat)
        if found and found[1] not in NOT_FUNCTIONS and "using" not in flat.split():
            names.append(found[1].replace("operator ", "operator"))
    return names


def ours():
    names = set()
    for path in (ROOT / "tessera").rglob("*.h"):
        if "internal" not in path.parts:
            text = path.read_text(encoding="utf-8")
            names.update(re.findall(r"\b(\w+)\(", text))
            names.update(f"operator{symbol}" for symbol in re.findall(r"operator ?([^\w\s(]+)\(", text))
            for arguments in re.findall(r"^TESSERA_[A-Z_]+\(([\w, ]+)\)", text, re.MULTILINE):
                names.update(re.findall(r"\w+", arguments))
            names.update(f"operator{symbol}" for symbol in re.findall(r"_OPERATOR\(([^\w\s,]+),", text))
    return names


def table(include):
    have = ours()
    for header in HEADERS:
        path = include / "mlx" / header
        if path.exists():
            names = sorted(set(functions(path)))
            yield header, [n for n in names if n in have], [n for n in names if n not in have]


def page(rows):
    lines = ["# MLX's functions here", "",
             "Written by `tools/mlx_surface.py` from MLX 0.32's C++ headers: by name, which functions exist.", ""]
    for header, have, lack in rows:
        lines += [f"## `mlx/{header}`: {len(have)} of {len(have) + len(lack)}", ""]
        if lack:
            lines += ["Not here: " + ", ".join(f"`{n}`" for n in lack) + ".", ""]
        lines += ["Here: " + ", ".join(f"`{n}`" for n in have) + ".", ""] if have else []
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("include", type=pathlib.Path)
    options.add_argument("--page", type=pathlib.Path)
    chosen = options.parse_args()
    rows = list(table(chosen.include))
    if chosen.page:
        chosen.page.write_text(page(rows), encoding="utf-8")
        return
    for header, have, lack in rows:
        print(f"{header}: {len(have)} of {len(have) + len(lack)}")
        if lack:
            print("  lacks", " ".join(lack))


if __name__ == "__main__":
    main()
