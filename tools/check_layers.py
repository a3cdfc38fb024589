#!/usr/bin/env python3
"""Fails when a file includes what its place in the tree does not allow.

    tools/check_layers.py [ROOT]                   the check; prints path:line: what and why
    tools/check_layers.py --public-headers [ROOT]  lists the headers that are installed

The rules:
  * a file includes its own layer and the layers below it (tools/layers.py has the order);
  * one backend does not include another;
  * what a layer does not install (internal/, kernels/) is for that layer alone, except that every
    source file of the library may use core/internal;
  * a public header includes public headers and the standard library, nothing else: no internal/
    header, no third-party header, no header of the operating system;
  * examples include public headers only;
  * the library's own headers are included by their full path, "tessera/<layer>/x.h".
"""

import argparse
import pathlib
import re
import sys

import layers

ORDER = list(layers.LAYERS)
STANDARD_HEADER = re.compile(r"[a-z_0-9]+")  # <vector>; with a dot or a slash it is not C++'s own


def fault_between(includer, included):
    """Why `includer` (a path under tessera/) may not include `included`, or None."""
    mine, theirs = layers.layer_of(includer), layers.layer_of(included)
    if mine is not None and theirs is None:
        return "stands above all layers; a layer does not include it"
    if theirs is not None and theirs not in ORDER:
        return f"'{theirs}' is not a layer of tools/layers.py"
    if mine is not None and ORDER.index(theirs) > ORDER.index(mine):
        return f"layer '{theirs}' is above '{mine}'"
    mine_backend, their_backend = layers.backend_of(includer), layers.backend_of(included)
    if mine_backend and their_backend and mine_backend != their_backend:
        return f"backend '{mine_backend}' includes backend '{their_backend}'"
    if not layers.is_public_header(included):
        if layers.is_public_header(includer):
            return "a public header includes one that is not installed"
        if (theirs, their_backend) not in ((mine, mine_backend), ("core", None)):
            return f"private to '{their_backend or theirs}'"
    return None


def faults_in(root, path):
    """(line, included name, why) for every include of one file that breaks a rule."""
    public = layers.is_public_header(path)
    for line, angled, name in layers.includes((root / path).read_text(encoding="utf-8")):
        why = None
        if name.startswith("tessera/"):
            why = fault_between(path, name)
        elif not angled:
            why = 'write the full path, "tessera/<layer>/x.h"'
        elif public and not STANDARD_HEADER.fullmatch(name) and (
                str(path), name) not in layers.FOREIGN_INCLUDES:
            why = "a public header includes something that is not standard C++"
        if why:
            yield line, name, why


def example_faults(root, path):
    for line, _, name in layers.includes((root / path).read_text(encoding="utf-8")):
        if name.startswith("tessera/") and not layers.is_public_header(name):
            yield line, name, "an example uses what is installed"


def check(root):
    """Every fault of the tree under `root`, as printable lines."""
    found = []
    for folder in sorted(f.name for f in (root / "tessera").iterdir() if f.is_dir()):
        if folder not in ORDER:
            found.append(f"tessera/{folder}: not a layer of tools/layers.py")
    for folder, faults in (("tessera", faults_in), ("examples", example_faults)):
        for path in layers.sources(root, folder):
            if folder == "tessera" and layers.layer_of(path) not in (None, *ORDER):
                continue  # reported above, once
            found += [f'{path}:{line}: "{name}": {why}' for line, name, why in faults(root, path)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--public-headers", action="store_true")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=layers.repository())
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    if not (root / "tessera").is_dir():
        sys.exit(f"check_layers: {root} has no folder tessera/")

    if arguments.public_headers:
        print(*filter(layers.is_public_header, layers.sources(root)), sep="\n")
        return
    found = check(root)
    print(*found, sep="\n", end="\n" if found else "")
    if found:
        sys.exit(f"check_layers: {len(found)} includes break the layering")
    print(f"check_layers: {len(layers.sources(root))} files, every include within its layer or below")


if __name__ == "__main__":
    main()
