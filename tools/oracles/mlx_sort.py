#!/usr/bin/env python3
"""Goldens of sorting and searching from Python MLX (CPU): tests/goldens/ops/sort.json and .safetensors.

mlx_cases.py explains the format. partition, argpartition and topk leave an order open, so their
cases hold what is not: both sides of the kth element in order, and for indices what they point at.

Rerun: python tools/oracles/mlx_sort.py
"""

import mlx.core as mx
import numpy as np
from mlx_cases import DTYPES, FLOATS, INF, NAN, RNG, case, draw, ints, normal, shape_name, write

SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 129)
SPECIALS = [3.0, NAN, -INF, 1.0, INF, -0.0, 0.0, 1.0, NAN, -0.0, -1.0, 1e-30, -1e-30, 0.0, INF, 2.0]


def sides(p, kth, axis):
    """Both sides of the kth element in order, and the element."""
    n = p.shape[axis]
    kth = kth % n
    before, at, after = mx.split(p, [kth, kth + 1], axis=axis)
    return mx.concatenate([mx.sort(before, axis=axis), at, mx.sort(after, axis=axis)], axis=axis)


def flat(x, axis):
    return (x.reshape(-1), 0) if axis is None else (x, axis)


def partition(x, kth, axis):
    return sides(mx.partition(x, kth, axis=axis), kth, 0 if axis is None else axis)


def argpartition(x, kth, axis):
    p = mx.argpartition(x, kth, axis=axis)
    x, at = flat(x, axis)
    return sides(mx.take_along_axis(x, p, axis=at), kth, at), mx.sort(p, axis=at)


def topk(x, k, axis):
    out = mx.topk(x, k, axis=axis)
    return mx.sort(out, axis=0 if axis is None else axis)


def every(label, x, axis, exact=True, kth=None, **attrs):
    for op, function in (("sort", mx.sort), ("argsort", mx.argsort)):
        case(f"{op}/{label}", op, [x], {"axis": axis, **attrs},
             lambda x: function(mx.transpose(x) if attrs else x, axis=axis), exact=exact)
    if kth is None:
        return
    for k in kth:
        for op, function in (("partition", partition), ("argpartition", argpartition)):
            case(f"{op}/{label}/{k}", op, [x], {"kth": k, "axis": axis}, lambda x: function(x, k, axis))
    size = x.size if axis is None else x.shape[axis]
    for k in sorted({0, 1, size // 2, size}):
        case(f"topk/{label}/{k}", "topk", [x], {"k": k, "axis": axis}, lambda x: topk(x, k, axis))


for dtype in DTYPES:
    x = draw((5, 9, 4), dtype)
    for axis in (None, 0, 1, -1):
        every(f"{dtype}/{axis}", x, axis, kth=(0, 2, -1) if axis in (None, 1) else None)
for n in SIZES:
    every(f"f32/last/{n}", normal((2, n)), 1, kth=(n // 3,))
    every(f"i32/first/{n}", ints((n, 3), low=-2, high=3), 0, kth=(n // 2,))
for dtype in FLOATS:
    special = mx.array(SPECIALS).astype(FLOATS[dtype])
    every(f"{dtype}/special", special, 0)
    every(f"{dtype}/nan_only", mx.array([NAN] * 5).astype(FLOATS[dtype]), 0)
    every(f"{dtype}/zeros", mx.array([0.0, -0.0, -0.0, 0.0, -1.0, -0.0]).astype(FLOATS[dtype]), 0)
for dtype in ("f32", "i32", "f16", "u8", "i64"):  # long enough for another way of sorting
    every(f"{dtype}/long", draw((700,), dtype), 0, kth=(350,))
every("i32/many_ties", ints((1500,), low=-1, high=2), 0)
every("i64/extremes", mx.array([2**62, -(2**62), 0, 2**63 - 1, -(2**63)], dtype=mx.int64), 0)
every("u64/extremes", mx.array(np.array([2**63, 0, 2**64 - 1, 1], np.uint64)), 0)
every("i8/extremes", mx.array([127, -128, 0, -1, 1], dtype=mx.int8), 0)
every("f32/transposed", normal((4, 9, 5)), 1, transpose=True)
every("f32/rank8", normal((1, 2, 1, 3, 2, 1, 2, 3)), 3)
every("f32/scalar_flattened", mx.array(2.0), None)
for shape, axis in (((0, 3), 0), ((0, 3), 1), ((3, 0), None)):
    every(f"f32/empty/{shape_name(shape)}/{axis}", mx.zeros(shape), axis)
every("error/axis", normal((3, 4)), 2)
every("error/scalar", mx.array(1.0), -1)
for op, function in (("partition", partition), ("argpartition", argpartition)):
    for kth in (9, -10):
        case(f"{op}/error/{kth}", op, [normal((9,))], {"kth": kth, "axis": 0}, lambda x: function(x, kth, 0))
for k in (-1, 10):
    case(f"topk/error/{k}", "topk", [normal((9,))], {"k": k, "axis": 0}, lambda x: topk(x, k, 0))


def search(label, sorted_sequence, values, side="left"):
    case(f"searchsorted/{label}/{side}", "searchsorted", [sorted_sequence, values], {"side": side},
         lambda s, v: mx.searchsorted(s, v, side), exact=True)


for side in ("left", "right"):
    for n in (0, *SIZES):
        ordered = mx.array(np.sort(RNG.integers(-4, 5, n)).astype(np.int32))
        search(f"i32/{n}", ordered, ints((3, 5), low=-6, high=7), side)
    for dtype in (*FLOATS, "u8", "i8", "i64", "u64", "bool"):
        ordered = mx.sort(draw((33,), dtype))
        search(f"{dtype}/33", ordered, draw((2, 9), dtype), side)
    for dtype in FLOATS:
        special = mx.array([-INF, -1.0, -0.0, 0.0, 1.0, 1.0, INF, NAN, NAN]).astype(FLOATS[dtype])
        search(f"{dtype}/special", special, mx.array(SPECIALS).astype(FLOATS[dtype]), side)
    search("i32_f32", mx.array([1, 2, 3]), mx.array([0.5, 2.0, 2.5, 9.0]), side)
    search("f32/scalar", mx.array([1.0, 2.0]), mx.array(1.0), side)
    search("f32/no_values", mx.array([1.0, 2.0]), mx.zeros((0, 3)), side)
search("error/rank", mx.zeros((2, 3)), mx.zeros((2,)))
search("error/side", mx.zeros((2,)), mx.zeros((2,)), "middle")


def median(label, x, axes, keepdims=False):
    case(f"median/{label}", "median", [x], {"axes": axes, "keepdims": keepdims},
         lambda x: mx.median(x, axis=axes, keepdims=keepdims), via=True)


for dtype in (*FLOATS, "i32", "u8", "bool"):
    for n in (8, 9):
        x = draw((3, n, 2), dtype)
        for axes in (None, [0], [1], [-1], [0, 2], [1, 2]):
            label = "all" if axes is None else "_".join(map(str, axes))
            median(f"{dtype}/{n}/{label}", x, axes, keepdims=axes in ([1], [0, 2]))
for dtype in FLOATS:
    median(f"{dtype}/nan", mx.array([[1.0, NAN, 2.0], [3.0, 1.0, 2.0]]).astype(FLOATS[dtype]), [1])
    median(f"{dtype}/inf", mx.array([[-INF, INF, INF, 1.0], [-INF, INF, 0.0, -1.0]]).astype(FLOATS[dtype]), [1])
median("f32/scalar", mx.array(2.0), None)
median("f32/2x0/0", mx.zeros((2, 0)), [0])
median("error/2x0/1", mx.zeros((2, 0)), [1])
median("error/axis", normal((2, 3)), [2])

write("sort", "mlx_sort.py")
