#!/usr/bin/env python3
"""Goldens of ops on packed weights: tests/goldens/ops/packed.json and .safetensors.

Random blocks of each GGUF format, expanded by the gguf package; products and rows by numpy in float64.
mlx_cases.py explains the format of the files.

Rerun: python tools/oracles/gguf_products.py
"""

import gguf
import mlx.core as mx
import numpy as np
from mlx_cases import FLOATS, case, normal, write
from quant_blocks import FORMATS, draw

ORACLE = "gguf 0.19.0 and numpy"


def matrix(name, rows, blocks_in_row):
    """Packed bytes [rows, bytes of a row] and the float32 weights they stand for."""
    gguf_type, half_offsets, _ = FORMATS[name]
    rng = np.random.default_rng(len(name) + rows)
    count = rows * blocks_in_row
    blocks = draw(rng, gguf_type, half_offsets, 3 * count)[:count]  # ordinary scales only
    packed = blocks.reshape(rows, -1)
    return mx.array(packed), gguf.quants.dequantize(packed, gguf_type)


drawn = {}


def shared(shape, dtype):
    """The same values for every format, so that their bytes are stored once."""
    if shape not in drawn:
        drawn[shape] = normal(shape)
    return drawn[shape].astype(FLOATS[dtype])


def main():
    for name, (gguf_type, half_offsets, count) in FORMATS.items():
        attrs = {"type": name}
        blocks = draw(np.random.default_rng(7), gguf_type, half_offsets, count)
        with np.errstate(all="ignore"):
            extreme = gguf.quants.dequantize(blocks, gguf_type)
        # What an infinite scale makes of its block is left open: infinities or NaN.
        finite = ~np.isinf(extreme).any(axis=1)
        blocks, extreme = blocks[finite], extreme[finite]
        for dtype, kind in FLOATS.items():
            case(
                f"packed.dequantize/{name}/{dtype}",
                "packed.dequantize",
                [mx.array(blocks)],
                {**attrs, "columns": extreme.shape[1], "dtype": dtype},
                lambda _, kind=kind: mx.array(extreme).astype(kind),
            )
            for rows, blocks_in_row, steps in ((5, 1, 1), (17, 2, 1), (7, 2, 9)):
                packed, weights = matrix(name, rows, blocks_in_row)
                columns = weights.shape[1]
                x = shared((steps, columns), dtype)
                bias = shared((rows,), dtype)
                exact_x = np.array(x.astype(mx.float32), np.float64)
                exact_bias = np.array(bias.astype(mx.float32), np.float64)
                product = exact_x @ weights.astype(np.float64).T
                size = f"{steps}x{columns}x{rows}"
                for label, inputs, value in (
                    ("plain", [x, packed], product),
                    ("bias", [x, packed, bias], product + exact_bias),
                ):
                    case(
                        f"packed.linear/{name}/{dtype}/{size}/{label}",
                        "packed.linear",
                        inputs,
                        attrs,
                        lambda *_, value=value, kind=kind: mx.array(
                            value.astype(np.float32)
                        ).astype(kind),
                    )
            packed, weights = matrix(name, 7, 2)
            case(
                f"packed.embedding/{name}/{dtype}",
                "packed.embedding",
                [mx.array([[3, 0, 6], [-1, 3, -7]]), packed],
                {**attrs, "dims": weights.shape[1], "dtype": dtype},
                lambda ids, _, kind=kind: mx.array(weights[np.array(ids)]).astype(kind),
            )
    write("packed", "gguf_products.py", ORACLE)


if __name__ == "__main__":
    main()
