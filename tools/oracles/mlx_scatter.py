#!/usr/bin/env python3
"""Goldens of gather and scatter from Python MLX (CPU): tests/goldens/ops/scatter.json and .safetensors.

mlx_cases.py explains the format. Python MLX has no function for the general gather and scatter of
its C++ API, so their cases are made of slices taken and updated one after the other: that is also
the order which decides between duplicates here. "indexed" cases are MLX's own array indexing.

Rerun: python tools/oracles/mlx_scatter.py
"""

import itertools

import mlx.core as mx
from mlx_cases import FLOATS, INF, NAN, case, draw, ints, normal, write

ALL = (*FLOATS, "i32", "u8", "i8", "i16", "u32", "i64", "u64", "bool")
REDUCES = {
    "scatter": None,
    "scatter_add": "add",
    "scatter_prod": "multiply",
    "scatter_max": "maximum",
    "scatter_min": "minimum",
}


def windows(shape, indices, axes, sizes):
    """The slices of an array of `shape` that the index arrays say, in order."""
    lead = list(mx.broadcast_arrays(*indices)[0].shape) if indices else []
    lists = [i.reshape(-1).tolist() for i in mx.broadcast_arrays(*indices)] if indices else []
    count = len(lists[0]) if lists else 1
    out = []
    for m in range(count):
        start = [0] * len(shape)
        for axis, values in zip(axes, lists):
            start[axis] = values[m] + (shape[axis] if values[m] < 0 else 0)
        out.append(tuple(slice(s, s + n) for s, n in zip(start, sizes)))
    return lead, out


def gather(label, a, indices, axes, sizes):
    def compute(a, *indices):
        lead, at = windows(a.shape, indices, axes, sizes)
        if not at:
            return mx.zeros(lead + sizes, a.dtype)
        return mx.stack([a[w] for w in at]).reshape(lead + sizes)

    attrs = {"axes": axes, "slice_sizes": sizes}
    case(f"gather/{label}", "gather", [a, *indices], attrs, compute, exact=True)


def scatter(op, label, a, indices, updates, axes, exact=False):
    def compute(a, updates, *indices):
        lead, at = windows(a.shape, indices, axes, updates.shape[-a.ndim :] if a.ndim else [])
        flat = updates.reshape([len(at), *updates.shape[len(lead) :]])
        for m, w in enumerate(at):
            if REDUCES[op] is None:
                y = mx.array(a)
                y[w] = flat[m].astype(a.dtype)
                a = y
            else:
                a = getattr(a.at[w], REDUCES[op])(flat[m].astype(a.dtype))
        return a

    rounded = a.dtype in FLOATS.values() and op in ("scatter_add", "scatter_prod")
    case(f"{op}/{label}", op, [a, updates, *indices], {"axes": axes}, compute, exact=not rounded,
         via=rounded)


def values(op, shape, dtype):
    if op == "scatter_prod" and dtype in FLOATS:
        return normal(shape, dtype, scale=0.2, shift=1.0)
    return draw(shape, dtype)


for dtype in ALL:
    a = draw((6, 9, 5), dtype)
    gather(f"{dtype}/rows", a, [ints((3, 2), low=-6, high=6)], [0], [1, 9, 5])
    gather(f"{dtype}/windows", a, [ints((4,), low=0, high=5), ints((4,), low=0, high=7)], [0, 1], [2, 3, 4])
a = normal((6, 9, 5))
gather("f32/points", a, [ints((7,), low=-6, high=6), ints((7,), low=-9, high=9), ints((7,), low=-5, high=5)],
       [0, 1, 2], [1, 1, 1])
gather("f32/broadcast", a, [ints((3, 1), low=0, high=6), ints((1, 4), low=0, high=4)], [0, 2], [1, 9, 2])
gather("f32/axes_swapped", a, [ints((3,), low=0, high=5), ints((3,), low=0, high=6)], [2, 0], [1, 4, 1])
gather("f32/scalar_index", a, [mx.array(-1)], [1], [6, 1, 5])
gather("f32/no_index", a, [], [], [2, 9, 3])
gather("f32/no_indices", a, [mx.zeros((0,), mx.int32)], [0], [1, 9, 5])
gather("f32/empty_slice", a, [mx.array([0, 6])], [0], [0, 9, 5])
gather("f32/rank8", normal((2, 1, 3, 2, 1, 2, 3, 2)), [ints((5,), low=0, high=2), ints((5,), low=0, high=2)],
       [2, 6], [2, 1, 2, 2, 1, 1, 2, 2])
for index in ("u8", "u16", "u32", "u64", "i8", "i16", "i64"):
    gather(f"f32/{index}_index", a, [ints((5,), index, low=0, high=6)], [0], [1, 9, 5])
    scatter("scatter_add", f"f32/{index}_index", a, [ints((5,), index, low=0, high=6)], normal((5, 1, 9, 5)), [0])

for op in REDUCES:
    for dtype in ALL:
        a = values(op, (6, 9), dtype)
        if dtype == "bool" and op != "scatter":
            rows = mx.array([0, 2, 2, -1])
            function = REDUCES[op]
            updates = draw((4, 1, 9), dtype)
            case(f"{op}/bool/indexed", op, [a, updates, rows], {"axes": [0]},
                 lambda a, u, i: getattr(a.at[i], function)(u.reshape(4, 9)), exact=True)
            continue
        scatter(op, f"{dtype}/rows", a, [mx.array([0, 2, 2, -1, -4, 5])], values(op, (6, 1, 9), dtype), [0])
        scatter(op, f"{dtype}/part_rows", a, [mx.array([[0, 2], [2, -1]])], values(op, (2, 2, 1, 7), dtype), [0])
        scatter(op, f"{dtype}/points", a, [ints((31,), low=-6, high=6), ints((31,), low=-9, high=9)],
                values(op, (31, 1, 1), dtype), [0, 1])
        scatter(op, f"{dtype}/overlapping", a, [mx.array([0, 1, 3, 2]), mx.array([4, 5, 0, 5])],
                values(op, (4, 3, 4), dtype), [0, 1])
    a = values(op, (6, 9), "f32")
    scatter(op, "f32/columns", a, [mx.array([8, 0, 0])], values(op, (3, 6, 1), "f32"), [1])
    scatter(op, "f32/broadcast", a, [ints((3, 1), low=0, high=6), ints((1, 4), low=0, high=9)],
            values(op, (3, 4, 1, 1), "f32"), [0, 1])
    scatter(op, "f32/no_index", a, [], values(op, (4, 5), "f32"), [])
    scatter(op, "f32/scalar_index", a, [mx.array(-2)], values(op, (1, 9), "f32"), [0])
    scatter(op, "f32/no_indices", a, [mx.zeros((0,), mx.int32)], mx.zeros((0, 1, 9)), [0])
    scatter(op, "f32/empty_slice", a, [mx.array([1, 2])], mx.zeros((2, 0, 9)), [0])
    scatter(op, "f32/rank4", values(op, (2, 3, 1, 5), "f32"), [mx.array([0, 1, 0])], values(op, (3, 2, 1, 1, 4), "f32"), [1])
    scatter(op, "i32/f32_updates", ints((5,)), [mx.array([1, 3])], mx.array([[1.75], [-2.5]]), [0])
    scatter(op, "f32/special", mx.array([1.0, INF, -INF, 0.0, 2.0]), [mx.array([0, 1, 2, 3, 4])],
            mx.array([NAN, -INF, INF, -1.0, INF])[:, None], [0])
    for size in (63, 65, 129):
        many = ints((size,), low=-7, high=7)
        scatter(op, f"f32/many/{size}", values(op, (7, 2), "f32"), [many], values(op, (size, 1, 2), "f32"), [0])

for dtype in (*FLOATS, "i32"):
    a, rows, updates = draw((7, 33), dtype), ints((17,), low=-7, high=7), draw((17, 1, 33), dtype)
    for op in REDUCES:
        if op == "scatter" or op == "scatter_prod":
            continue
        exact = dtype == "i32" or op != "scatter_add"
        case(f"{op}/{dtype}/indexed", op, [a, updates, rows], {"axes": [0]},
             lambda a, u, i: getattr(a.at[i], REDUCES[op])(u.reshape(17, 33)), exact=exact, via=not exact)


def put(label, a, indices, values, axis):
    case(f"put_along_axis/{label}", "put_along_axis", [a, indices, values], {"axis": axis},
         lambda a, i, v: mx.put_along_axis(a, i, v, axis=axis), exact=True)


def add_along(label, a, indices, values, axis):
    def compute(a, indices, values):
        indices, values = mx.broadcast_arrays(indices, values)
        for k in range(indices.shape[axis]):
            at, v = (mx.take(x, mx.array([k]), axis=axis) for x in (indices, values))
            a = mx.put_along_axis(a, at, mx.take_along_axis(a, at, axis=axis) + v.astype(a.dtype), axis=axis)
        return a

    floats = a.dtype in FLOATS.values()
    case(f"scatter_add_axis/{label}", "scatter_add_axis", [a, indices, values], {"axis": axis}, compute,
         exact=not floats, via=floats)


for op in (put, add_along):
    for dtype in ALL:
        if dtype == "bool" and op == add_along:
            continue
        op(f"{dtype}/1", draw((3, 9, 5), dtype), ints((3, 4, 5), low=-9, high=9), draw((3, 4, 5), dtype), 1)
    for axis, count in ((0, 2), (2, 31), (-1, 1)):
        shape = [3, 9, 5]
        shape[axis] = count
        n = [3, 9, 5][axis]
        op(f"f32/{axis}", normal((3, 9, 5)), ints(shape, low=-n, high=n), normal(shape), axis)
    op("f32/one_value", normal((3, 9)), ints((3, 4), low=0, high=9), mx.array(7.0), 1)
    op("f32/duplicates", normal((2, 5)), mx.array([[1, 1, 1, 0], [4, 3, 4, -1]]), normal((2, 4)), 1)
    op("f32/no_indices", normal((2, 5)), mx.zeros((2, 0), mx.int32), mx.zeros((2, 0)), 1)
    op("i32/f32_values", ints((2, 5)), mx.array([[1], [2]]), mx.array([[1.75], [-2.5]]), 1)
    op("f32/wide", normal((4, 6, 129)), ints((4, 3, 129), low=0, high=6), normal((4, 3, 129)), 1)
put("error/rank", normal((2, 5)), mx.array([0]), mx.array([1.0]), 1)
put("error/axis", normal((2, 5)), mx.array([[0]]), mx.array([1.0]), 2)
put("error/shape", normal((3, 5)), mx.zeros((2, 1), mx.int32), mx.array([1.0]), 1)

SLICES = (
    ([0, 0, 0], [5, 7, 3], [1, 1, 1]),
    ([1, 2, 0], [4, 6, 3], [1, 1, 1]),
    ([0, 1, 0], [5, 7, 3], [2, 3, 2]),
    ([-1, 5, 0], [-5, 0, 3], [-2, -2, 1]),
    ([3, 0, 0], [3, 7, 3], [1, 1, 1]),
)
for name, function in (("add", "add"), ("prod", "multiply"), ("max", "maximum"), ("min", "minimum")):
    for dtype, (start, stop, strides) in itertools.product((*FLOATS, "i32", "u8"), SLICES):
        at = tuple(slice(*bounds) for bounds in zip(start, stop, strides))
        x = draw((5, 7, 3), dtype)
        attrs = {"start": start, "stop": stop, "strides": strides}
        label = f"{start}_{stop}_{strides}".replace(" ", "")
        case(f"slice_update_{name}/{dtype}/{label}", f"slice_update_{name}", [x, draw(x[at].shape, dtype)],
             attrs, lambda x, u: getattr(x.at[at], function)(u), exact=True)
    attrs = {"start": [1, 0], "stop": [3, 4], "strides": [1, 1]}
    case(f"slice_update_{name}/f32/broadcast", f"slice_update_{name}", [normal((4, 5)), normal((4,))], attrs,
         lambda x, u: getattr(x.at[1:3, 0:4], function)(u), exact=True)
    case(f"slice_update_{name}/i32/f32_update", f"slice_update_{name}", [ints((4, 5)), mx.array(1.75)], attrs,
         lambda x, u: getattr(x.at[1:3, 0:4], function)(u), exact=True)

write("scatter", "mlx_scatter.py")
