"""The virtual environment that the peers live in."""

import pathlib
import re
import subprocess
import sys

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")


def pinned(package):
    found = re.search(rf"^{package}==(\S+)$", REQUIREMENTS.read_text(), re.MULTILINE)
    return found.group(1)


def installed(python, package):
    """Its version there, or None."""
    code = f"from importlib.metadata import version; print(version('{package}'))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def python_with(package, venv):
    """The Python of `venv` with the pinned package in it; makes and fills the venv when needed."""
    python = venv / "bin" / "python"
    if not python.exists():
        print(f"Makes the virtual environment {venv}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    if installed(python, package) != pinned(package):
        print(f"Installs {package} {pinned(package)} in {venv}; compiling it takes a while",
              file=sys.stderr)
        # llama.cpp's own default is to compile for the machine that it is built on.
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-binary", package,
                        "-r", REQUIREMENTS], check=True)
    return python
