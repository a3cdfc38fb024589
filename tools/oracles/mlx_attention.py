#!/usr/bin/env python3
"""Attention goldens from Python MLX (CPU): tests/goldens/ops/attention.json and .safetensors.

Sinks with every kind of mask, values of another width than the keys, many more keys than queries, rows that
may see nothing, rope's options combined, and the gated activations. mlx_ops.py has attention and rope without
these; mlx_cases.py explains the format.

Rerun: python tools/oracles/mlx_attention.py
"""

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx_cases import FLOATS, INF, bools, case, normal, shape_name, write

OP = "fast.scaled_dot_product_attention"

# batch, query heads, key heads, queries, keys, width of keys, width of values
SHAPES = {
    "mha": (2, 3, 3, 5, 5, 16, 16),
    "gqa": (1, 6, 2, 7, 9, 16, 16),
    "mqa_step": (2, 4, 1, 1, 17, 32, 32),
    "gqa_step": (1, 8, 2, 1, 65, 16, 16),
    "narrow_values": (1, 4, 2, 5, 7, 24, 9),
    "wide_values": (2, 2, 1, 3, 4, 8, 33),
    "long_keys": (1, 2, 1, 3, 301, 8, 8),
    "blocks": (1, 2, 2, 33, 40, 8, 8),
}


def attention(q, k, v, mask=None, sinks=None, *, scale, causal=False):
    if mask is not None and mask.dtype != mx.bool_:
        mask = mask.astype(q.dtype)
    if sinks is not None:
        sinks = sinks.astype(q.dtype)
    mask = "causal" if causal else mask
    return mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask=mask, sinks=sinks)


def masks(dtype, b, heads, tq, tk):
    keep = np.array(bools((b, 1, tq, tk), 0.6))
    keep[..., 0] = True
    return {
        "none": None,
        "causal": "causal",
        "bool": mx.array(keep),
        "additive": normal((heads, tq, tk), dtype),
    }


def attend(name, arrays, mask, sinks, scale, **how):
    causal = isinstance(mask, str)
    mask_array = None if causal else mask
    kind = "causal" if causal else None if mask is None else "input 3"
    case(
        name,
        OP,
        [*arrays, mask_array, sinks],
        {"scale": scale, "mask": kind, **({} if sinks is None else {"sinks": "input 4"})},
        lambda q, k, v, m, s: attention(q, k, v, m, s, scale=scale, causal=causal),
        **how,
    )


def sinks_and_shapes():
    for dtype in FLOATS:
        for label, (b, heads, kv_heads, tq, tk, d, dv) in SHAPES.items():
            scale = round(d**-0.5, 6)
            arrays = [
                normal((b, heads, tq, d), dtype),
                normal((b, kv_heads, tk, d), dtype),
                normal((b, kv_heads, tk, dv), dtype),
            ]
            sinks = normal((heads,), dtype, scale=2.0)
            for kind, mask in masks(dtype, b, heads, tq, tk).items():
                attend(f"sdpa/{dtype}/{label}/{kind}/sinks", arrays, mask, sinks, scale, via=True)
                if dv != d or label == "long_keys":
                    attend(f"sdpa/{dtype}/{label}/{kind}", arrays, mask, None, scale, via=True)


def extremes():
    for dtype, kind in FLOATS.items():
        q = normal((1, 2, 4, 8), dtype)
        keep = np.array(bools((4, 6), 0.7))
        keep[:, 0] = True
        keep[1] = False
        additive = mx.where(mx.array(keep), 0.0, -INF).astype(kind)
        arrays = [q, normal((1, 2, 6, 8), dtype), normal((1, 2, 6, 8), dtype)]
        sinks = mx.array([0.5, -30.0]).astype(kind)
        # Row 1 may see nothing: all its weight goes to the sink, so that MLX gives zeros too.
        attend(f"sdpa/{dtype}/hidden_row/bool/sinks", arrays, mx.array(keep), sinks, 0.35, via=True)
        attend(f"sdpa/{dtype}/hidden_row/additive/sinks", arrays, additive, sinks, 0.35, via=True)
        for label, values in (
            ("large", [80.0, -80.0]),
            ("minus_infinity", [-INF, 1.0]),
            ("infinity", [INF, 0.0]),
            ("nan", [float("nan"), 0.0]),
        ):
            attend(
                f"sdpa/{dtype}/{label}/sinks",
                arrays,
                None,
                mx.array(values).astype(kind),
                0.35,
                via=True,
            )
    arrays = [normal((1, 4, 3, 8)), normal((1, 2, 5, 8)), normal((1, 2, 5, 8))]
    for label, shape in (("kv_heads", (2,)), ("rank_2", (1, 4)), ("scalar", ()), ("five", (5,))):
        attend(f"sdpa/error/sinks/{label}", arrays, None, normal(shape), 1.0)


def ropes():
    for dtype in FLOATS:
        for traditional in (False, True):
            way = "trad" if traditional else "half"
            for label, shape, dims, scale, offset, freqs in (
                ("freqs_offsets", (3, 2, 4, 16), 8, 1.0, [0, 5, 31], [1.0, 3.0, 20.0, 700.0]),
                ("freqs_all", (2, 1, 9, 8), 8, 1.0, 11, [1.0, 0.5, 40.0, 1e6]),
                ("partial_offsets", (2, 3, 5, 33), 16, 0.5, [7, 2], None),
                ("offsets_rank3", (4, 7, 8), 8, 1.0, [3, 2, 1, 0], None),
                ("two_of_many", (1, 2, 3, 17), 2, 4.0, 100, None),
                ("before_the_start", (1, 2, 3, 8), 8, 1.0, -2, None),
            ):
                base = None if freqs else 10000.0
                array_offset = isinstance(offset, list)
                inputs = [normal(shape, dtype)]
                attrs = {"dims": dims, "traditional": traditional, "base": base, "scale": scale}
                attrs["offset"] = "input 1" if array_offset else offset
                if array_offset:
                    inputs.append(mx.array(offset))
                if freqs:
                    attrs["freqs"] = f"input {len(inputs)}"
                    inputs.append(mx.array(freqs))

                def rope(x, *rest):
                    rest = list(rest)
                    return mx.fast.rope(
                        x,
                        dims,
                        traditional=traditional,
                        base=base,
                        scale=scale,
                        offset=rest.pop(0) if array_offset else offset,
                        freqs=rest.pop(0) if freqs else None,
                    )

                case(f"rope/{dtype}/{way}/{label}", "fast.rope", inputs, attrs, rope, via=True)


def gated():
    ways = {
        "swiglu": lambda g, u: nn.silu(g) * u,
        "geglu": lambda g, u: nn.gelu(g) * u,
        "geglu_approx": lambda g, u: nn.gelu_approx(g) * u,
    }
    for dtype in FLOATS:
        for shape in ((15,), (7,), (33,), (129,), (3, 17), (2, 0)):
            gate, up = normal(shape, dtype, scale=3.0), normal(shape, dtype)
            for way, compute in ways.items():
                name = f"{way}/{dtype}/{shape_name(shape)}"
                case(
                    name,
                    way.removesuffix("_approx"),
                    [gate, up],
                    {"tanh_approximation": way.endswith("approx")},
                    compute,
                    via=True,
                )


def main():
    sinks_and_shapes()
    extremes()
    ropes()
    gated()
    write("attention", "mlx_attention.py")


if __name__ == "__main__":
    main()
