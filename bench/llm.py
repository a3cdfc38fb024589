#!/usr/bin/env python3
"""Language models: Tessera and its peers on the same .gguf, in turn, round after round.

    bench/run llm                                   both real models, five rounds, all processors
    bench/run llm --model m.gguf --depth 0 --depth 4096 --threads 1
    bench/run llm --venv build/bench-venv           where the peers live, made when missing

In each round every runner starts afresh, loads, warms up, and is measured: the prefill of a prompt and
the decoding of tokens at several depths. Runners take turns and each round begins with another one, so
that a neighbour's burst hits them alike; ratios are taken within a round. Prints a table and writes
llm-DATE.md, .json and .svg.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

import llm_report
import machine
import peers

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = pathlib.Path(os.environ.get("TESSERA_CACHE", pathlib.Path.home() / ".cache/tessera"), "models")
DEFAULT_MODELS = ["SmolLM2-135M-Instruct.Q4_1.gguf", "gemma-3-270m.Q4_K_M.gguf"]


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="bench/run llm", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, action="append", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0, help="0 takes every processor")
    parser.add_argument("--peers", default="llama.cpp", help="llama.cpp or none")
    parser.add_argument("--prompt-tokens", type=int, default=512)
    parser.add_argument("--generate-tokens", type=int, default=64)
    parser.add_argument("--depth", type=int, action="append", help="0 and 1024 unless given")
    parser.add_argument("--venv", type=pathlib.Path, default=ROOT / "build/bench-venv")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/results")
    parser.add_argument("--no-build", action="store_true", help="take the programs as they are")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/tessera")
    parser.add_argument("--kernels-bench", type=pathlib.Path,
                        default=ROOT / "build/release/bench/kernels_bench",
                        help="measures the machine's ceilings; left out when missing")
    options = parser.parse_args()
    if options.peers not in ("llama.cpp", "none"):
        parser.error(f"--peers: llama.cpp or none, not {options.peers}")
    if options.rounds < 1 or options.threads < 0:
        parser.error("--rounds must be positive and --threads not negative")
    options.model = options.model or [MODELS / name for name in DEFAULT_MODELS]
    for path in [*options.model, options.program]:
        if not path.exists():
            parser.error(f"{path} does not exist" + (
                "; python3 tools/oracles/fetch_models.py fetches the models"
                if path in options.model else "; build it first"))
    options.depths = sorted(set(options.depth or [0, 1024]))
    usable = sorted(os.sched_getaffinity(0))
    options.threads = options.threads or len(usable)
    # So that everybody, the ceilings too, has as many processors as threads and no more.
    os.sched_setaffinity(0, usable[:options.threads])
    return options


class Tessera:
    def __init__(self, options, mode):
        self.name = f"tessera {mode}"
        self.options = options
        self.flags = ["--fast"] if mode == "fast" else []

    def command(self, model, depths):
        options = self.options
        return [options.program, "bench", model, "--json", "--rounds", 1, *self.flags,
                "--threads", options.threads, "--prompt-tokens", options.prompt_tokens,
                "--generate-tokens", options.generate_tokens,
                *(part for depth in depths for part in ("--depth", depth))]

    def measure(self, model, depths):
        watched = machine.Watched(self.command(model, depths))
        result = watched.json()

        def rates(series):
            return {"wall": series["rounds"][0], "cpu": series["rounds_per_cpu_second"][0]}

        return {
            "load_seconds": result["load_seconds"],
            "prefill": rates(result["prefill_tokens_per_second"]),
            "decode": {str(s["depth"]): rates(s) for s in result["decode_tokens_per_second"]},
            "peak_resident_bytes": result["peak_resident_bytes"],
            "kv_cache_bytes": result["kv_cache_bytes"],
            **watched.neighbours(),
        }


class LlamaCpp:
    name = "llama.cpp"

    def __init__(self, options):
        self.options = options
        self.python = peers.python_with("llama-cpp-python", options.venv)
        self.version = None

    def measure(self, model, depths):
        options = self.options
        watched = machine.Watched([
            self.python, pathlib.Path(__file__).with_name("llama_cpp_peer.py"), model,
            "--threads", options.threads, "--prompt-tokens", options.prompt_tokens,
            "--generate-tokens", options.generate_tokens,
            *(part for depth in depths for part in ("--depth", depth))])
        result = watched.json()
        self.version = f"llama-cpp-python {result.pop('version')}; {result.pop('system')}"
        return {**result, **watched.neighbours()}


def describe_model(options, path):
    """Sizes that the bounds need: what one token reads, what one prompt token computes."""
    done = subprocess.run([options.program, "inspect", path, "--json"], capture_output=True, text=True,
                          check=True)
    tensors = json.loads(done.stdout)["tensors"]
    names = {tensor["name"] for tensor in tensors}
    # Without a head of its own the model multiplies by its whole embedding, else it takes one row.
    skipped = "token_embd.weight" if "output.weight" in names else None
    layers = [t for t in tensors if t["name"].startswith("blk.") and len(t["shape"]) == 2]
    return {
        "name": path.name,
        "file_bytes": path.stat().st_size,
        "bytes_per_token": sum(t["bytes"] for t in tensors if t["name"] != skipped),
        "prefill_flops_per_token": 2 * sum(t["shape"][0] * t["shape"][1] for t in layers),
    }


def tessera_version(program):
    def output(*command):
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        return done.stdout.strip()

    info = json.loads(output(program, "info", "--json"))
    commit = output("git", "rev-parse", "--short=12", "HEAD")
    changed = " and changes" if output("git", "status", "--porcelain", "--", "tessera") else ""
    return (f"{info['version']}, commit {commit}{changed}, {info['build']}, {info['compiler']}, "
            f"kernels {info['kernels']['in_use']}")


def main():
    options = parse_arguments()
    runners = [Tessera(options, "precise"), Tessera(options, "fast")]
    if options.peers == "llama.cpp":
        runners.append(LlamaCpp(options))
    results = {
        "suite": "llm",
        "date": datetime.date.today().isoformat(),
        "machine": machine.describe(),
        "settings": {"rounds": options.rounds, "threads": options.threads, "depths": options.depths,
                     "prompt_tokens": options.prompt_tokens,
                     "generate_tokens": options.generate_tokens},
        "ceilings": [],
        "models": [describe_model(options, path) for path in options.model],
    }

    def say(text):
        print(f"[load {os.getloadavg()[0]:.1f}] {text}", file=sys.stderr, flush=True)

    for model in results["models"]:
        model["rounds"] = {runner.name: [] for runner in runners}
    for turn in range(options.rounds):
        if options.kernels_bench.exists():
            say(f"round {turn + 1} of {options.rounds}: ceilings")
            results["ceilings"].append(machine.ceilings(options.kernels_bench))
        first = turn % len(runners)
        for path, model in zip(options.model, results["models"]):
            for runner in runners[first:] + runners[:first]:
                say(f"round {turn + 1} of {options.rounds}: {model['name']}, {runner.name}")
                model["rounds"][runner.name].append(runner.measure(path, options.depths))
    for path, model in zip(options.model, results["models"]):
        # Memory has its own run, of one prompt and one answer: deeper passes would hide it.
        say(f"memory: {model['name']}")
        model["memory"] = {r.name: r.measure(path, [options.prompt_tokens]) for r in runners}
    results["versions"] = {"tessera": tessera_version(options.program)}
    for runner in runners:
        if getattr(runner, "version", None):
            results["versions"][runner.name] = runner.version

    results["summary"] = llm_report.summary(results)
    options.out.mkdir(parents=True, exist_ok=True)
    stem = options.out / f"llm-{results['date']}"
    stem.with_suffix(".json").write_text(json.dumps(results, indent=1) + "\n")
    stem.with_suffix(".svg").write_text(llm_report.chart(results))
    stem.with_suffix(".md").write_text(llm_report.page(results, stem.with_suffix(".svg").name))
    print(llm_report.tables(results))
    print(f"Written: {stem}.md, .json, .svg")


if __name__ == "__main__":
    main()
