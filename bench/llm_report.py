"""What the rounds of bench/llm.py say: summary, tables, page, chart."""

from statistics import median

import svg

OURS, PEER = ("tessera precise", "tessera fast"), "llama.cpp"
RSS_ALLOWANCE = 96_000_000
LOAD_LIMIT = 1.0
RATIO_TARGET = 0.8
DISTURBED = 0.1  # of the machine's processor time


def spread(values):
    return {"median": median(values), "min": min(values), "max": max(values)}


def series(rounds, key, clock):
    """Tokens per second of each round. key is "prefill" or a depth."""
    return [(r["prefill"] if key == "prefill" else r["decode"][key])[clock] for r in rounds]


def summary(results):
    threads, out = results["settings"]["threads"], {}
    for model in results["models"]:
        keys = ["prefill", *map(str, results["settings"]["depths"])]
        one = {"speed": {}, "ratio": {}, "share": {}, "load_seconds": {}}
        for name, rounds in model["rounds"].items():
            one["load_seconds"][name] = spread([r["load_seconds"] for r in rounds])
            # Per processor second of one thread; times the threads it is what they would do
            # undisturbed, but for the waiting that they burn.
            one["speed"][name] = {
                key: {"wall": spread(series(rounds, key, "wall")),
                      "cpu": spread([threads * v for v in series(rounds, key, "cpu")])}
                for key in keys}
            one["share"][name] = {
                key: share(results, model, key, one["speed"][name][key]) for key in keys}
        for name in OURS:
            if PEER not in model["rounds"]:
                continue
            one["ratio"][name] = {
                key: {clock: spread([a / b for a, b in zip(
                    series(model["rounds"][name], key, clock),
                    series(model["rounds"][PEER], key, clock))]) for clock in ("wall", "cpu")}
                for key in keys}
        out[model["name"]] = one
    return out


def share(results, model, key, speed):
    """Of what the machine's ceiling allows; None when it was not measured."""
    if not results["ceilings"]:
        return None
    cores = "one_core" if results["settings"]["threads"] == 1 else "all_cores"
    if key == "prefill":
        ceiling = max(c[f"flops_{cores}"] for c in results["ceilings"])
        bound = ceiling / model["prefill_flops_per_token"]
    else:
        ceiling = max(c[f"read_bytes_{cores}"] for c in results["ceilings"])
        bound = ceiling / model["bytes_per_token"]
    return {"bound": bound, "wall": speed["wall"]["median"] / bound,
            "cpu": speed["cpu"]["median"] / bound}


def label(results, key):
    settings = results["settings"]
    if key == "prefill":
        return f"prefill {settings['prompt_tokens']}"
    return f"decode {settings['generate_tokens']} at depth {key}"


def table(header, rows, left=1):
    cells = [header, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]

    def line(row):
        return "| " + " | ".join(
            c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i < left else "-" * (w + 1) + ":"
                          for i, w in enumerate(widths)) + "|"
    return "\n".join([line(header), rule, *map(line, rows)])


def range_text(values, digits=1):
    return (f"{values['median']:.{digits}f} "
            f"({values['min']:.{digits}f}..{values['max']:.{digits}f})")


def speed_table(results, model, clock):
    one = results["summary"][model["name"]]
    rows = []
    for name, speeds in one["speed"].items():
        for key, speed in speeds.items():
            ratio = one["ratio"].get(name)
            ceiling = one["share"][name][key]
            rows.append([
                label(results, key), name, range_text(speed[clock]),
                range_text(ratio[key][clock], 2) if ratio else "",
                f"{100 * ceiling[clock]:.0f} %" if ceiling else "",
            ])
    order = ["prefill", *map(str, results["settings"]["depths"])]
    rows.sort(key=lambda row: [label(results, key) for key in order].index(row[0]))
    return table(["work", "runner", "tokens/s", "ratio to llama.cpp", "of the ceiling"], rows, left=2)


def memory_table(results, model):
    rows = []
    loads = results["summary"][model["name"]]["load_seconds"]
    for name, run in model["memory"].items():
        peak = run["peak_resident_bytes"]
        cache = run.get("kv_cache_bytes")
        bound = model["file_bytes"] + cache + RSS_ALLOWANCE if cache is not None else None
        rows.append([name, f"{peak / 1e6:.0f} MB", f"{cache / 1e6:.1f} MB" if bound else "",
                     f"{bound / 1e6:.0f} MB" if bound else "", range_text(loads[name], 3) + " s"])
    return table(["runner", "peak resident", "KV cache", "allowed", "load"], rows)


def targets(results):
    """[(what, measured, met or None when there was nothing to compare with)]"""
    found = []
    for model in results["models"]:
        one = results["summary"][model["name"]]
        for name in OURS:
            for key, clocks in one["ratio"].get(name, {}).items():
                ratio = clocks["wall"]["median"]
                found.append((f"{model['name']}, {name}, {label(results, key)}: at least "
                              f"{RATIO_TARGET} of llama.cpp", f"{ratio:.2f}", ratio >= RATIO_TARGET))
            run = model["memory"][name]
            bound = model["file_bytes"] + run["kv_cache_bytes"] + RSS_ALLOWANCE
            found.append((f"{model['name']}, {name}: peak resident at most file + KV cache + "
                          f"{RSS_ALLOWANCE / 1e6:.0f} MB = {bound / 1e6:.0f} MB",
                          f"{run['peak_resident_bytes'] / 1e6:.0f} MB",
                          run["peak_resident_bytes"] <= bound))
            load = one["load_seconds"][name]["median"]
            found.append((f"{model['name']}, {name}: load under {LOAD_LIMIT:.0f} s, file in memory",
                          f"{load:.2f} s", load < LOAD_LIMIT))
    return found


def all_runs(results):
    return [run for m in results["models"] for rounds in m["rounds"].values() for run in rounds]


def noise_text(results):
    runs = all_runs(results)
    others = spread([run["others_share"] for run in runs])
    loads = spread([run["load_average"] for run in runs])
    text = (f"Other processes took {100 * others['median']:.0f} % of the machine's processor time "
            f"while a run was measured (median; {100 * others['min']:.0f} to "
            f"{100 * others['max']:.0f} %), at a load average of {loads['median']:.1f} "
            f"({loads['min']:.1f} to {loads['max']:.1f}).")
    if others["median"] > DISTURBED:
        text += (" **That is a disturbed measurement**: tokens per second of wall-clock time are not "
                 "what this machine can do, and ratios of single rounds scatter widely. The ratios' "
                 "medians, and the tables by processor time, say more; a run on a quiet machine "
                 "would replace this page.")
    return text


def ceiling_text(results):
    if not results["ceilings"]:
        return "The machine's ceilings were not measured."
    best = {k: max(c[k] for c in results["ceilings"]) for k in results["ceilings"][0]}
    return (f"Ceilings, the best of {len(results['ceilings'])} measurements between the rounds: reading "
            f"{best['read_bytes_one_core'] / 1e9:.1f} GB/s with one core and "
            f"{best['read_bytes_all_cores'] / 1e9:.1f} GB/s with all; float32 multiply-add "
            f"{best['flops_one_core'] / 1e9:.0f} and {best['flops_all_cores'] / 1e9:.0f} GFLOP/s.")


def tables(results):
    parts = []
    for model in results["models"]:
        parts += [f"{model['name']}, {model['file_bytes'] / 1e6:.1f} MB", "",
                  speed_table(results, model, "wall"), "", "By processor time:", "",
                  speed_table(results, model, "cpu"), "", memory_table(results, model), ""]
    return "\n".join([*parts, noise_text(results), ceiling_text(results)])


def page(results, chart_name):
    m, s = results["machine"], results["settings"]
    lines = [
        f"# Language models, {results['date']}", "",
        "Made by `bench/run llm`; [bench/README.md](../../bench/README.md) says how it measures.", "",
        f"* machine: {m['processor']}, {s['threads']} of {m['processors']} processors, "
        f"{m['memory_bytes'] / 1e9:.0f} GB, {m['system']}, Linux {m['kernel']}",
        *[f"* {name}: {version}" for name, version in results["versions"].items()],
        f"* {s['rounds']} rounds in turn, {s['threads']} threads each; prompt of {s['prompt_tokens']} "
        f"tokens in batches of 512, then {s['generate_tokens']} tokens one by one", "",
        noise_text(results), "", ceiling_text(results), "",
        f"![Decoding and prefill]({chart_name})", ""]
    for model in results["models"]:
        lines += [
            f"## {model['name']}", "",
            f"{model['file_bytes'] / 1e6:.1f} MB; {model['bytes_per_token'] / 1e6:.1f} MB of weights are "
            "read for one token. Median (fastest and slowest round in brackets); ratios are medians of "
            "the ratios within a round.", "",
            speed_table(results, model, "wall"), "",
            "By processor time: tokens per second of processor time, times the threads. Waiting in a "
            "loop for another thread counts as work here, on both sides.", "",
            speed_table(results, model, "cpu"), "",
            "Memory and load: one process that loads, prefills and decodes, twice. Of llama.cpp's "
            "process the Python interpreter's share is taken off.", "",
            memory_table(results, model), ""]
    lines += ["## Targets", "",
              table(["target", "measured", "met"],
                    [[what, got, "yes" if met else "**no**"] for what, got, met in targets(results)]),
              ""]
    return "\n".join(lines)


def chart(results):
    groups = []
    for model in results["models"]:
        speeds = results["summary"][model["name"]]["speed"]
        for key in ["prefill", *map(str, results["settings"]["depths"])]:
            bars = [(name, *(speed[key]["wall"][k] for k in ("median", "min", "max")))
                    for name, speed in speeds.items()]
            # One scale for all would hide decoding beside prefill.
            top = max(high for *_, high in bars) or 1
            bars = [(n, v / top, low / top, high / top) for n, v, low, high in bars]
            groups.append((f"{model['name'].split('.')[0][:18]} {key if key == 'prefill' else '@' + key}",
                           bars))
    return svg.bar_chart("Tokens per second by wall clock", groups,
                         "as a share of each group's fastest round")
