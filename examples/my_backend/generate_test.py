#!/usr/bin/env python3
"""A model's first tokens on my_backend are those on cpu.

    generate_test.py MODEL TESSERA      TESSERA_PLUGIN_PATH names the module
"""

import json
import subprocess
import sys

model, program = sys.argv[1:]


def ids(backend):
    command = [program, "generate", model, "--backend", backend, "--raw", "--json",
               "--prompt", "The capital of France is", "--max-tokens", "6"]
    run = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)["ids"]


mine, cpu = ids("my_backend"), ids("cpu")
print("my_backend", mine, "cpu", cpu)
if mine != cpu or len(mine) != 6:
    sys.exit("the tokens differ")
