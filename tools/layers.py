"""The layers of the library, lowest first, and what each owns: the one list that the include check
(check_layers.py) and the picture in docs/architecture.md (draw_layers.py) are made from."""

import pathlib
import re

LAYERS = {
    "core": "dtypes, shapes, errors, host tensors, thread pool",
    "ir": "array: a value that shares a node of a graph not yet run",
    "ops": "what each op is: attributes, shape rule, lowering, gradient",
    "backend": "the contract that a machine fulfils, and its registry",
    "backends": "kernels for each machine",
    "graph": "eval, transforms, compile: what runs and rewrites graphs",
    "io": "safetensors, GGUF, the hub cache, memory maps",
    "nn": "modules, losses, optimisers, quantised layers",
    "text": "tokenizers, chat templates, sampling, generation",
    "audio": "decode, resample, mel, encode",
    "image": "load, resize, save",
    "models": "one file or folder for each architecture",
    "serve": "HTTP server, scheduler, web pages",
    "train": "pretraining, fine-tuning, LoRA, tokenizer training",
    "conformance": "the suite that proves a backend, and its cases",
    "cli": "the tessera program: parses, calls, prints",
}

# Folders whose headers are not installed, whatever layer they lie in.
PRIVATE_FOLDERS = ("internal", "kernels", "cli")

# What public headers include that is neither the library's nor the language's, and is there for whoever
# asks for that header.
FOREIGN_INCLUDES = {("tessera/conformance/gtest.h", "gtest/gtest.h")}

SOURCE_SUFFIXES = (".h", ".cpp", ".inc", ".def", ".cu", ".cuh")

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"\n]+)[>\"]", re.MULTILINE)


def repository():
    return pathlib.Path(__file__).resolve().parent.parent


def sources(root, folder="tessera"):
    """Every C++ file under root/folder, as paths relative to root."""
    files = (root / folder).rglob("*")
    return sorted(f.relative_to(root) for f in files if f.suffix in SOURCE_SUFFIXES)


def layer_of(path):
    """tessera/io/gguf.h -> "io"; tessera/tessera.h, which stands above all layers -> None."""
    parts = pathlib.PurePosixPath(path).parts
    return parts[1] if len(parts) > 2 else None


def backend_of(path):
    """tessera/backends/cpu/matmul.cpp -> "cpu"; None outside a backend's own folder."""
    parts = pathlib.PurePosixPath(path).parts
    return parts[2] if layer_of(path) == "backends" and len(parts) > 3 else None


def is_public_header(path):
    path = pathlib.PurePosixPath(path)
    return path.suffix in (".h", ".def") and not any(f in path.parts for f in PRIVATE_FOLDERS)


def includes(text):
    """(line number, True for the <> form, included name) of every #include in the text."""
    for match in _INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1] == "<", match[2]
