#!/usr/bin/env python3
"""How MLX prints arrays: tests/goldens/print.json.

One case a line: {"id", "dtype", "shape", "values", "text"}. values are the elements in row-major
order as numbers (booleans as 0 and 1, "nan", "inf" and "-inf" as strings); "arange" stands for
0, 1, 2, ... in the dtype.

Rerun: python tools/oracles/mlx_print.py
"""

import json
import math
import pathlib

import mlx.core as mx
import numpy as np

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "print.json"
INF, NAN = math.inf, math.nan
DTYPES = {
    "bool": mx.bool_,
    "uint8": mx.uint8,
    "uint16": mx.uint16,
    "uint32": mx.uint32,
    "uint64": mx.uint64,
    "int8": mx.int8,
    "int16": mx.int16,
    "int32": mx.int32,
    "int64": mx.int64,
    "float16": mx.float16,
    "float32": mx.float32,
    "float64": mx.float64,
    "bfloat16": mx.bfloat16,
}
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, INF]
CASES = [
    ("scalar_float", "float32", [], [1.5]),
    ("scalar_int", "int32", [], [-7]),
    ("scalar_bool", "bool", [], [1]),
    ("scalar_half", "float16", [], [0.1]),
    ("one_element", "float32", [1], [2.0]),
    ("empty", "float32", [0], []),
    ("empty_rows", "float32", [2, 0], []),
    ("no_rows", "int32", [0, 3], []),
    ("empty_inside", "float32", [2, 0, 3], []),
    ("bools", "bool", [3], [1, 0, 1]),
    ("bool_matrix", "bool", [2, 2], [1, 0, 0, 1]),
    ("specials", "float32", [6], [INF, -INF, NAN, 0.0, -0.0, 1e-45]),
    ("digits", "float32", [6], [1 / 3, 123456.0, 1234567.0, 1e6, 1e-5, 0.0001]),
    ("large", "float32", [4], [3.4e38, 1e20, 16777217.0, -99999.5]),
    ("integral_floats", "float32", [3], [1.0, 100000.0, 1000000.0]),
    ("half", "float16", [6], FLOATS),
    ("half_large", "float16", [3], [65504.0, 6e-8, 0.333]),
    ("brain", "bfloat16", [6], FLOATS),
    ("brain_large", "bfloat16", [3], [3.38e38, 1e-20, 0.333]),
    ("double", "float64", [3], [1 / 3, 1e300, -2.0]),
    ("bytes", "uint8", [4], [0, 1, 200, 255]),
    ("signed_bytes", "int8", [4], [0, -128, 127, 65]),
    ("shorts", "int16", [3], [-32768, 0, 32767]),
    ("words", "uint16", [2], [0, 65535]),
    ("unsigned", "uint32", [2], [0, 4294967295]),
    ("longs", "int64", [3], [-(2**62), 0, 2**62]),
    ("unsigned_longs", "uint64", [2], [0, 2**63]),
    ("matrix", "int32", [2, 3], "arange"),
    ("cube", "int32", [2, 2, 2], "arange"),
    ("rank_5", "int32", [2, 1, 2, 1, 2], "arange"),
    ("six", "int32", [6], "arange"),
    ("seven", "int32", [7], "arange"),
    ("eight", "int32", [8], "arange"),
    ("thousand", "int32", [1000], "arange"),
    ("thousand_and_one", "int32", [1001], "arange"),
    ("tall", "int32", [10, 2], "arange"),
    ("wide", "float32", [2, 10], "arange"),
    ("big_matrix", "float32", [50, 60], "arange"),
    ("big_cube", "int32", [9, 8, 7], "arange"),
    ("long_empty", "float32", [9, 0], []),
]


def main():
    cases = []
    for name, dtype, shape, values in CASES:
        if values == "arange":
            a = mx.arange(math.prod(shape)).astype(DTYPES[dtype]).reshape(shape)
        else:
            # numpy carries 64-bit integers that the list constructor refuses
            wide = np.float64 if "float" in dtype else np.uint64 if dtype == "uint64" else np.int64
            a = mx.array(np.array(values, wide), dtype=DTYPES[dtype]).reshape(shape)
        plain = (
            values
            if isinstance(values, str)
            else [
                v if not isinstance(v, float) or math.isfinite(v) else str(v) for v in values
            ]
        )
        cases.append(
            {"id": name, "dtype": dtype, "shape": shape, "values": plain, "text": str(a)}
        )
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    OUT.write_text('{"mlx":"%s","cases":[\n%s\n]}\n' % (mx.__version__, lines))


if __name__ == "__main__":
    mx.set_default_device(mx.cpu)
    main()
