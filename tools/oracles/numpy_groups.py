#!/usr/bin/env python3
"""Goldens of weights in groups that MLX does not have (symmetric ones, and affine ones of 16), from numpy:
tests/goldens/ops/groups.json and .safetensors.

mlx_cases.py explains the format. Codes lie one behind the other, lowest bit first, in a row's bytes, as in MLX.
An element is scale * code + bias, rounded after the product and after the sum; a symmetric group's bias is
-2^(bits - 1) * scale. Products are summed in float64. For the widths and groups that MLX knows, the same
packing is checked against mlx.core.dequantize first.

Rerun: python tools/oracles/numpy_groups.py
"""

import mlx.core as mx
import numpy as np
from mlx_cases import RNG, case, normal, write

ROWS, COLUMNS = 2, 128


def packed(codes, bits):
    stream = (codes[..., None].astype(np.uint8) >> np.arange(bits, dtype=np.uint8)) & 1
    return np.packbits(stream.reshape(len(codes), -1), axis=1, bitorder="little").view(np.uint32)


def affine(codes, scales, biases, group):
    wide = lambda a: np.repeat(np.array(a), group, axis=1)
    return wide(scales) * codes.astype(np.float32) + wide(biases)


def check_packing(codes, bits, scales, biases):
    group = 32
    got = mx.dequantize(mx.array(packed(codes, bits)), scales[:, ::2], biases[:, ::2], group, bits)
    assert np.array_equal(np.array(got), affine(codes, scales[:, ::2], biases[:, ::2], group)), bits


def product(x, w):
    return mx.array((np.array(x, np.float64) @ w.astype(np.float64).T).astype(np.float32))


x = normal((3, COLUMNS))
for bits in (2, 3, 4, 5, 6, 8):
    for mode, group in (("affine", 16), *(("symmetric", g) for g in (16, 32, 64, 128))):
        codes = RNG.integers(0, 2**bits, (ROWS, COLUMNS))
        scales = normal((ROWS, COLUMNS // group), scale=0.1)
        biases = normal(scales.shape) if mode == "affine" else -(2 ** (bits - 1)) * scales
        if group == 16:
            check_packing(codes, bits, scales, biases)
        w = affine(codes, scales, biases, group)
        inputs = [mx.array(packed(codes, bits)), scales, biases if mode == "affine" else None]
        attrs = {"group_size": group, "bits": bits, "mode": mode}
        name = f"{mode}/{bits}_bits_of_{group}"
        case(f"dequantize/{name}", "dequantize", inputs, {**attrs, "dtype": None}, lambda *_: mx.array(w), exact=True)
        how = {**attrs, "transpose": True, "x_transposed": False}
        case(f"quantized_matmul/{name}", "quantized_matmul", [x, *inputs], how, lambda x, *_: product(x, w))

write("groups", "numpy_groups.py", f"numpy {np.__version__}")
