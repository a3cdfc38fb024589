#!/usr/bin/env python3
"""Goldens of running totals from Python MLX (CPU): tests/goldens/ops/scan.json and .safetensors.

mlx_cases.py explains the format. cumsum's own cases are in general; here are its dtype argument and
long or moved axes.

Rerun: python tools/oracles/mlx_scan.py
"""

import mlx.core as mx
from mlx_cases import FLOATS, DTYPES, INF, NAN, bools, case, draw, ints, normal, shape_name, write

SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 129)
WAYS = ((False, True), (True, True), (False, False), (True, False))
OPS = ("cumprod", "cummax", "cummin", "logcumsumexp")


def scan(name, op, x, axis, reverse=False, inclusive=True, exact=False, via=True, **extra):
    attrs = {"axis": axis, "reverse": reverse, "inclusive": inclusive, **extra}
    options = {k: DTYPES[v] if k == "dtype" else v for k, v in extra.items() if k != "transpose"}

    def compute(x):
        x = mx.transpose(x) if extra.get("transpose") else x
        return getattr(mx, op)(x, axis=axis, reverse=reverse, inclusive=inclusive, **options)

    # MLX loses NaN in running extremes of the half types, so those too come from float32.
    case(name, op, [x], attrs, compute, exact=exact, via=via)


def values(op, shape, dtype):
    if dtype == "bool":
        return bools(shape, 0.9 if op in ("cumprod", "cummin") else 0.1)
    if dtype in FLOATS:
        return normal(shape, dtype, scale=0.3, shift=1.0) if op == "cumprod" else normal(shape, dtype, scale=3.0)
    if op == "cumprod":  # odd, so that wrapping does not end at 0
        return (2 * ints(shape, low=0 if dtype[0] == "u" else -2, high=2) + 1).astype(DTYPES[dtype])
    return draw(shape, dtype)


for op in OPS:
    exact = op in ("cummax", "cummin")
    for dtype in (*FLOATS, "i32", "u8", "i8", "i16", "u16", "u32", "i64", "u64", "bool"):
        whole = exact or (dtype not in FLOATS and op == "cumprod")
        x = values(op, (3, 9, 5), dtype)
        for axis in (None, 0, 1, -1):
            for reverse, inclusive in WAYS:
                if axis != 1 and (reverse or not inclusive):
                    continue
                way = ("rev" if reverse else "fwd") + ("_incl" if inclusive else "_excl")
                scan(f"{op}/{dtype}/{axis}/{way}", op, x, axis, reverse, inclusive, exact=whole)
    for n in SIZES:
        scan(f"{op}/f32/last/{n}", op, values(op, (2, n), "f32"), 1, exact=exact)
        scan(f"{op}/f32/first/{n}", op, values(op, (5, n), "f32"), 0, reverse=True, exact=exact)
    for dtype in FLOATS:
        for label, row in (
            ("nan", [1.0, 2.0, NAN, 3.0, INF, -INF, 0.5]),
            ("inf", [INF, INF, 1.0, 2.0, INF]),
            ("minus_inf", [-INF, -INF, 1.0, -INF, 2.0]),
            ("both_inf", [-INF, 1.0, INF, -INF, 1.0]),
            ("denormal", [1e-7, 1e-40, 6e-8, -1e-40, 1e-38]),
        ):
            if op == "cumprod" and label == "denormal":
                continue  # MLX's vector code flushes what is below the normal numbers
            for reverse, inclusive in WAYS:
                way = ("rev" if reverse else "fwd") + ("_incl" if inclusive else "_excl")
                x = mx.array(row).astype(FLOATS[dtype])
                # the half types make zeros of denormals, whose signs are open among extremes
                scan(f"{op}/{dtype}/{label}/{way}", op, x, 0, reverse, inclusive, exact=exact and label != "denormal")
        if op == "logcumsumexp":
            large = mx.array([30000.0, 29999.0, -30000.0, 30000.0]).astype(FLOATS[dtype])
            scan(f"{op}/{dtype}/large", op, large, 0)
            scan(f"{op}/{dtype}/long", op, normal((1025,), dtype), 0)
    scan(f"{op}/f32/zeros", op, mx.array([-0.0, 0.0, -0.0, 1.0, -0.0]), 0)
    scan(f"{op}/f32/transposed", op, values(op, (7, 9, 5), "f32"), 1, transpose=True, exact=exact)
    scan(f"{op}/f32/rank8", op, values(op, (1, 2, 1, 3, 2, 1, 2, 3), "f32"), 4, exact=exact)
    scan(f"{op}/f32/wide", op, values(op, (2, 3, 129), "f32"), 1, exact=exact)
    scan(f"{op}/f32/scalar", op, mx.array(2.5), None, exact=exact)
    for shape, axis in (((0, 3), 0), ((0, 3), 1), ((3, 0), None), ((2, 0, 3), 2)):
        scan(f"{op}/f32/empty/{shape_name(shape)}/{axis}", op, mx.zeros(shape), axis, exact=True)
    scan(f"{op}/error/axis", op, normal((3, 4)), 2)
    scan(f"{op}/error/scalar", op, mx.array(1.0), 0)

scan("cumprod/i8/wraps", "cumprod", mx.array([100, 3, 7], dtype=mx.int8), 0, exact=True)
scan("cumprod/i32/wraps", "cumprod", mx.array([65536, 65535, 3]), 0, exact=True)
for op in ("cumsum", "cumprod"):
    for source, dtype in (("u8", "i32"), ("i32", "f32"), ("f32", "f16"), ("i32", "bool"), ("bool", "i64")):
        x = mx.array([2, 1, 0, 3, 100]).astype(DTYPES[source])
        exact = dtype not in FLOATS
        scan(f"{op}/{source}_as_{dtype}", op, x, 0, exact=exact, via=False, dtype=dtype)
scan("cumsum/f32/transposed", "cumsum", normal((7, 9, 5)), 1, transpose=True)
scan("cumsum/f32/wide", "cumsum", normal((2, 33, 129)), 1)
scan("cumsum/f16/wide", "cumsum", normal((2, 33, 129), "f16"), 1, reverse=True, inclusive=False)

write("scan", "mlx_scan.py")
