"""Sampling goldens: probabilities after transformers' logits processors, in generate's order.

    python tools/oracles/sampling.py                  # needs torch and transformers

Writes tests/goldens/sampling.json:
  rows     logits
  history  token ids that the repetition penalty sees
  cases    {"row", "options", "probabilities"}: softmax of the processed row
"""

import itertools
import json
import pathlib

import torch
import transformers
from transformers.generation import logits_process as lp

ROOT = pathlib.Path(__file__).resolve().parents[2]
HISTORY = [0, 3, 3, 1, 0]


def rows():
    generator = torch.Generator().manual_seed(1)
    yield [0.5, -1.2, 3.1, 0.8, -0.3, 2.7, -0.9, 1.4]
    yield [1.0, 2.0, 2.0, 0.0, 2.0, -1.0]  # ties
    yield [0.0] * 5
    yield [float("-1e4"), 5.0, 4.5, float("-1e4")]
    yield [round(x, 3) for x in (torch.randn(40, generator=generator) * 2).tolist()]
    yield [round(x, 3) for x in (torch.randn(300, generator=generator) * 3).tolist()]


def processors(options):
    """The order of transformers.generation.utils._get_logits_processor."""
    if "repetition_penalty" in options:
        yield lp.RepetitionPenaltyLogitsProcessor(options["repetition_penalty"])
    if "temperature" in options:
        yield lp.TemperatureLogitsWarper(options["temperature"])
    if "top_k" in options:
        yield lp.TopKLogitsWarper(options["top_k"])
    if "top_p" in options:
        yield lp.TopPLogitsWarper(options["top_p"])
    if "min_p" in options:
        yield lp.MinPLogitsWarper(options["min_p"])


OPTIONS = [
    {},
    {"temperature": 0.5},
    {"temperature": 2.0},
    {"top_k": 1},
    {"top_k": 3},
    {"top_p": 0.5},
    {"top_p": 0.9},
    {"min_p": 0.05},
    {"min_p": 0.3},
    {"repetition_penalty": 1.5},
    {"temperature": 0.7, "top_k": 10, "top_p": 0.8, "min_p": 0.1, "repetition_penalty": 1.2},
    {"temperature": 1.5, "top_p": 0.7, "min_p": 0.02},
]


def separated(row, options):
    """top_p on ties keeps whichever the sort puts first: only rows without ties can be compared."""
    return "top_p" not in options or len(set(row)) == len(row)


def main():
    all_rows = list(rows())
    cases = []
    for (i, row), options in itertools.product(enumerate(all_rows), OPTIONS):
        if not separated(row, options):
            continue
        scores = torch.tensor([row], dtype=torch.float64)
        history = torch.tensor([[t for t in HISTORY if t < len(row)]])
        for processor in processors(options):
            scores = processor(history, scores)
        probabilities = [round(p, 9) for p in scores.softmax(-1)[0].tolist()]
        cases.append({"row": i, "options": options, "probabilities": probabilities})
    golden = {
        "made_by": f"tools/oracles/sampling.py, transformers {transformers.__version__}",
        "history": HISTORY,
        "rows": all_rows,
        "cases": cases,
    }
    path = ROOT / "tests/goldens/sampling.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(golden) + "\n")
    print(f"{path.relative_to(ROOT)}: {len(cases)} cases, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
