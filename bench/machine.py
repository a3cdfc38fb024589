"""The machine, who else is using it, and its ceilings."""

import json
import os
import pathlib
import platform
import resource
import subprocess
import time


def _field(path, name):
    for line in pathlib.Path(path).read_text().splitlines():
        key, _, value = line.partition(":")
        if key.strip() == name:
            return value.strip()
    return "unknown"


def _system_name():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return platform.system()


def describe():
    return {
        "processor": _field("/proc/cpuinfo", "model name"),
        "architecture": platform.machine(),
        "processors": len(os.sched_getaffinity(0)),
        "memory_bytes": int(_field("/proc/meminfo", "MemTotal").split()[0]) * 1024,
        "system": _system_name(),
        "kernel": platform.release(),
    }


def _busy_seconds():
    """Processor seconds that anything on the machine has used."""
    user, nice, system, _, _, irq, softirq, steal = map(
        int, pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


class Watched:
    """Runs a program; tells its output, its peak memory and what others took meanwhile."""

    def __init__(self, command, timeout=3600):
        before, busy, start = self._children(), _busy_seconds(), time.perf_counter()
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              timeout=timeout, check=False)
        self.seconds = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}\nended with {done.returncode}:\n"
                             f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        self.output = done.stdout
        others = _busy_seconds() - busy - (self._children() - before)
        self.others_share = max(0.0, others / (self.seconds * os.cpu_count()))
        self.load_average = os.getloadavg()[0]

    @staticmethod
    def _children():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def json(self):
        return json.loads(self.output)

    def neighbours(self):
        return {"others_share": self.others_share, "load_average": self.load_average}


def ceilings(kernels_bench, seconds=0.3):
    """Read bandwidth (bytes/s) and multiply-add rate (FLOP/s): of one core and of all usable."""
    run = Watched([kernels_bench, "--benchmark_filter=^ceiling/", "--benchmark_format=json",
                   f"--benchmark_min_time={seconds}"])
    out = run.neighbours()
    for one in run.json()["benchmarks"]:
        _, what, threads = one["name"].split("/")
        cores = "one_core" if threads == "1" else "all_cores"
        if what == "fma":
            out[f"flops_{cores}"] = one["GFLOP/s"] * 1e9
        elif what == "memory_read":
            out[f"read_bytes_{cores}"] = one["GB/s"] * 1e9
    return out
