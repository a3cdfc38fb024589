"""An installed copy has every public header and no other.   usage: installed_headers_test.py PREFIX"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    include = pathlib.Path(sys.argv[1], "include")
    installed = {str(f.relative_to(include)) for f in include.rglob("*") if f.is_file()}
    listed = subprocess.run([sys.executable, str(ROOT / "tools/check_layers.py"), "--public-headers"],
                            capture_output=True, text=True, check=True)
    public = set(listed.stdout.split())
    for header in sorted(installed - public):
        print(f"installed, but not public: {header}")
    for header in sorted(public - installed):
        print(f"public, but not installed: {header}")
    sys.exit(installed != public or not public)


if __name__ == "__main__":
    main()
