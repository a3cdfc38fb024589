#!/usr/bin/env python3
"""Goldens of making and arranging arrays, from Python MLX (CPU): tests/goldens/ops/shapes.json and
.safetensors.

mlx_cases.py explains the format. Attributes are the C++ function's arguments; what is left out has its
default.

Rerun: python tools/oracles/mlx_shapes.py
"""

import mlx.core as mx
from mlx_cases import DTYPES, FLOATS, INF, NAN, bools, case, draw, normal, write

INTEGERS = ("i32", "u8", "i8", "i16", "u16", "u32", "i64", "u64")
ALL = (*FLOATS, *INTEGERS, "bool")


def call(name, op, inputs, exact=True, compute=None, **attrs):
    def run(*x):
        options = {k: DTYPES[v] if k == "dtype" else tuple(v) if k == "shape" else v for k, v in attrs.items()}
        # these take their attributes by place only
        if op in ("tile",):
            return getattr(mx, op)(*x, *options.values())
        return getattr(mx, op)(*x, **options)

    case(name, op, inputs, attrs, compute or run, exact=exact)


# --- Making arrays ---

for op in ("eye", "tri"):
    for n, m, k in ((3, 3, 0), (2, 4, 1), (4, 2, -1), (3, 3, 7), (3, 3, -7), (1, 1, 0), (0, 3, 0), (3, 0, 0)):
        call(f"{op}/{n}x{m}/{k}", op, [], n=n, m=m, k=k, dtype="f32")
    for dtype in ALL:
        call(f"{op}/{dtype}", op, [], n=3, m=4, k=1, dtype=dtype)
call("eye/error/negative", "eye", [], n=-1, m=2, k=0, dtype="f32")
for dtype in ("f32", "f16", "i32", "bool"):
    call(f"identity/{dtype}", "identity", [], n=4, dtype=dtype)
for start, stop, num in ((0, 1, 5), (0.0, 10.0, 1), (-3.0, 11.3, 9), (1.0, 0.0, 4), (2.5, 2.5, 3), (0, 100, 0), (0, 1, 101)):
    for dtype in ("f32", "f16", "bf16", "i32"):
        attrs = {"start": start, "stop": stop, "num": num, "dtype": dtype}
        exact = dtype == "i32" and num != 101
        if dtype != "i32" or num < 100:
            call(f"linspace/{dtype}/{start}_{stop}_{num}", "linspace", [], exact=exact, **attrs)
    open_end = {"start": start, "stop": stop, "num": num, "endpoint": False, "dtype": "f32"}
    call(f"linspace/open/{start}_{stop}_{num}", "linspace", [], exact=False, **open_end)
call("linspace/error", "linspace", [], start=0, stop=1, num=-1, dtype="f32")
for op in ("hanning", "hamming", "blackman", "bartlett"):
    for m in (-1, 0, 1, 3, 8, 33):
        call(f"{op}/{m}", op, [], exact=False, M=m)
for dtype in ALL:
    x = draw((3, 5), dtype)
    call(f"zeros_like/{dtype}", "zeros_like", [x])
    call(f"ones_like/{dtype}", "ones_like", [x])
    call(f"full_like/{dtype}", "full_like", [x, mx.array(3.5)], compute=lambda x, v: mx.full_like(x, 3.5))
case("full_like/row", "full_like", [normal((2, 3)), normal((3,))], {}, lambda x, v: mx.full(x.shape, v), exact=True)
case("full_like/error", "full_like", [normal((2, 3)), normal((2,))], {}, lambda x, v: mx.full(x.shape, v))

# --- Diagonals ---

for dtype in ALL:
    x = draw((4, 5), dtype)
    for k in (0, 1, -2, 9, -9):
        for op in ("tril", "triu"):
            call(f"{op}/{dtype}/{k}", op, [x], k=k)
        call(f"diagonal/{dtype}/{k}", "diagonal", [x], offset=k)
        call(f"diag/matrix/{dtype}/{k}", "diag", [x], k=k)
        if abs(k) < 9:
            call(f"diag/vector/{dtype}/{k}", "diag", [x[0]], k=k)
    call(f"trace/{dtype}", "trace", [x], exact=dtype not in FLOATS)
batch = normal((2, 3, 4, 3))
call("tril/batch", "tril", [batch], k=1)
for a, b in ((0, 1), (1, 0), (-1, -3), (2, 3), (0, 3)):
    for k in (0, 1, -1):
        call(f"diagonal/batch/{a}_{b}/{k}", "diagonal", [batch], offset=k, axis1=a, axis2=b)
        call(f"trace/batch/{a}_{b}/{k}", "trace", [batch], exact=False, offset=k, axis1=a, axis2=b)
call("trace/as_f32", "trace", [draw((3, 3), "i32")], offset=0, axis1=0, axis2=1, dtype="f32")
call("tril/error/rank", "tril", [normal((3,))])
call("diagonal/error/rank", "diagonal", [normal((3,))])
call("diagonal/error/same", "diagonal", [normal((3, 3))], offset=0, axis1=1, axis2=-1)
call("diag/error/rank", "diag", [normal((2, 2, 2))])
call("diag/empty", "diag", [mx.zeros((0,))], k=2)

# --- Axes ---

x = draw((2, 1, 3, 1), "i32")
call("squeeze/all", "squeeze", [x])
call("squeeze/scalar", "squeeze", [mx.array(1)])
for axes in ([1], [-1], [1, 3], [3, -3], []):
    call(f"squeeze/{axes}", "squeeze", [x], axis=axes)
call("squeeze/error/size", "squeeze", [x], axis=[0])
call("squeeze/error/twice", "squeeze", [x], axis=[1, -3])
y = draw((2, 3), "i32")
for axes in ([0], [0, 1], [-1, 0], [1, 3], [4, 2, 0]):
    call(f"expand_dims/{axes}", "expand_dims", [y], axis=axes)
call("expand_dims/error/range", "expand_dims", [y], axis=[0, 4])
call("expand_dims/error/twice", "expand_dims", [y], axis=[0, -4])
z = draw((2, 3, 4), "i32")
for start, end in ((0, -1), (1, 2), (0, 1), (2, 2), (-2, -1), (-9, 9)):
    call(f"flatten/{start}_{end}", "flatten", [z], start_axis=start, end_axis=end)
call("flatten/scalar", "flatten", [mx.array(3)], start_axis=0, end_axis=-1)
call("flatten/empty", "flatten", [mx.zeros((2, 0, 3))], start_axis=0, end_axis=1)
call("flatten/error", "flatten", [z], start_axis=2, end_axis=1)
for axis, shape in ((0, [2, 1]), (-1, [2, 2]), (2, [-1, 2]), (1, [3]), (1, [1, -1, 1])):
    call(f"unflatten/{axis}/{shape}", "unflatten", [z], axis=axis, shape=shape)
call("unflatten/error/size", "unflatten", [z], axis=2, shape=[3, 2])
call("unflatten/error/unknown", "unflatten", [z], axis=2, shape=[-1, 3])
call("unflatten/error/none", "unflatten", [z], axis=2, shape=[])
for source, destination in ((0, 2), (2, 0), (-1, 1), (1, 1)):
    call(f"moveaxis/{source}_{destination}", "moveaxis", [z], source=source, destination=destination)
call("moveaxis/error", "moveaxis", [z], source=0, destination=3)
case("matrix_transpose", "matrix_transpose", [z], {}, lambda x: mx.swapaxes(x, -1, -2), exact=True)
for op in ("atleast_1d", "atleast_2d", "atleast_3d"):
    for shape in ((), (3,), (2, 3), (2, 3, 1), (1, 2, 1, 2), (0,)):
        call(f"{op}/{'x'.join(map(str, shape))}", op, [draw(shape, "f32")])
flipped = {None: lambda v: v[::-1, ::-1, ::-1], (0,): lambda v: v[::-1], (1, -1): lambda v: v[:, ::-1, ::-1]}
for axes, compute in flipped.items():
    for dtype in ("i32", "f16", "bool"):
        v = draw((2, 3, 4), dtype)
        case(f"flip/{dtype}/{axes}", "flip", [v], {"axes": list(axes) if axes else None}, compute, exact=True)

# --- Repeating, rotating, taking apart ---

for dtype in ALL:
    v = draw((2, 3), dtype)
    call(f"repeat/{dtype}", "repeat", [v], repeats=2, axis=1)
    call(f"tile/{dtype}", "tile", [v], reps=[2, 2])
    call(f"roll/{dtype}", "roll", [v], shift=[1, -1], axis=[0, 1])
    call(f"diff/{dtype}", "diff", [draw((2, 5), dtype)], n=1, axis=1, exact=dtype not in FLOATS)
for repeats in (0, 1, 3):
    call(f"repeat/flat/{repeats}", "repeat", [y], repeats=repeats)
    call(f"repeat/axis/{repeats}", "repeat", [y], repeats=repeats, axis=-1)
call("repeat/error/axis", "repeat", [y], repeats=1, axis=2)
call("repeat/error/negative", "repeat", [y], repeats=-1, axis=0)
for reps in ([3], [1, 2], [2, 1, 2], [0], [], [2, 0]):
    call(f"tile/{reps}", "tile", [y], reps=reps)
call("tile/scalar", "tile", [mx.array(2.5)], reps=[2, 2])
call("tile/error", "tile", [y], reps=[-1])
for shift in (0, 1, -1, 7, -8):
    call(f"roll/flat/{shift}", "roll", [y], shift=shift)
    call(f"roll/0/{shift}", "roll", [y], shift=shift, axis=0)
    call(f"roll/both/{shift}", "roll", [y], shift=shift, axis=[0, 1])
call("roll/sum", "roll", [y], shift=[1, 1], axis=None)
call("roll/sum_on_axis", "roll", [y], shift=[1, 1], axis=1)
call("roll/empty", "roll", [mx.zeros((0, 2))], shift=1, axis=0)
call("roll/error/few", "roll", [y], shift=[1], axis=[0, 1])
call("roll/error/axis", "roll", [y], shift=[1], axis=[2])
w = draw((7, 2), "i32")
for indices in ([1, 3], [3, 1], [9], [-1], [], [0, 0, 7]):
    call(f"split/indices/{indices}", "split", [w], indices_or_sections=indices, axis=0)
call("split/parts", "split", [w], indices_or_sections=7, axis=0)
call("split/error/parts", "split", [w], indices_or_sections=3, axis=0)
call("split/error/axis", "split", [w], indices_or_sections=[1], axis=2)
for axis in (0, 1, -1):
    call(f"unstack/{axis}", "unstack", [z], axis=axis)
call("unstack/error", "unstack", [mx.array(1)], axis=0)
for indexing in ("xy", "ij"):
    for sparse in (False, True):
        for shapes in (((3,),), ((3,), (2,)), ((2,), (3,), (4,)), ((), (2,)), ((2, 2), (3,)), ((0,), (2,))):
            inputs = [draw(s, "i32") for s in shapes]
            name = f"meshgrid/{indexing}/{sparse}/{'_'.join('x'.join(map(str, s)) for s in shapes)}"
            call(name, "meshgrid", inputs, sparse=sparse, indexing=indexing)
call("meshgrid/error", "meshgrid", [y], sparse=False, indexing="zz")
call("broadcast_arrays", "broadcast_arrays", [draw((2, 1), "i32"), draw((3,), "f32"), draw((), "bool")])
call("broadcast_arrays/error", "broadcast_arrays", [draw((2,), "i32"), draw((3,), "f32")])
for n in (0, 1, 2, 4):
    call(f"diff/{n}", "diff", [draw((3, 4), "i32")], n=n, axis=0)
call("diff/error/negative", "diff", [y], n=-1, axis=0)
call("diff/error/axis", "diff", [y], n=1, axis=2)

# --- Padding ---

p = draw((2, 3), "i32")
for mode in ("edge", "reflect", "symmetric"):
    for dtype in ("f32", "i32", "bool"):
        call(f"pad/{mode}/{dtype}", "pad", [draw((4, 3), dtype)], pad_width=[[1, 2], [2, 0]], mode=mode)
    call(f"pad/{mode}/wide", "pad", [p], pad_width=[[5, 4], [7, 8]], mode=mode)
    call(f"pad/{mode}/one", "pad", [p[:1]], pad_width=[[2, 1], [0, 0]], mode=mode)
call("pad/error/mode", "pad", [p], pad_width=[[1, 1], [1, 1]], mode="wrap")
call("pad/error/reflect_nothing", "pad", [mx.zeros((0,))], pad_width=[[1, 0]], mode="reflect")

# --- Slices at places that are arrays, masks, views by strides ---

v = draw((4, 5), "i32")
for start, axes, size in (([1, 2], [0, 1], [2, 3]), ([2], [1], [4, 2]), ([0], [0], [1, 5]), ([1, 0], [1, 0], [2, 2])):
    compute = lambda x, s, axes=axes, size=size: mx.slice(x, s, axes, size)
    case(f"slice_at/{start}_{axes}", "slice_at", [v, mx.array(start)], {"axes": axes, "slice_size": size}, compute, exact=True)
case("slice_at/error/count", "slice_at", [v, mx.array([1, 1])], {"axes": [0], "slice_size": [2, 2]}, lambda x, s: mx.slice(x, s, [0], [2, 2]))
case("slice_at/error/dtype", "slice_at", [v, mx.array([1.0])], {"axes": [0], "slice_size": [2, 2]}, lambda x, s: mx.slice(x, s, [0], [2, 2]))
case("slice_at/error/size", "slice_at", [v, mx.array([1])], {"axes": [0], "slice_size": [2, 6]}, lambda x, s: mx.slice(x, s, [0], [2, 6]))
for shape, start, axes in (((2, 2), [1, 3], [0, 1]), ((2,), [1, 2], [0, 1]), ((4, 1), [4], [1]), ((1, 5), [3], [0])):
    compute = lambda x, u, s, axes=axes: mx.slice_update(x, u, s, axes)
    case(f"slice_update_at/{shape}", "slice_update_at", [v, draw(shape, "i32"), mx.array(start)], {"axes": axes}, compute, exact=True)


def masked(x, mask, src):
    x = mx.array(x)
    x[mask] = src
    return x


for dtype in ("f32", "f16", "i32", "u8"):
    mask = bools((4, 5))
    count = int(mask.sum().item())
    case(f"masked_scatter/{dtype}", "masked_scatter", [draw((4, 5), dtype), mask, draw((count,), dtype)], {}, masked, exact=True)
rows = mx.array([True, False, True, False])
case("masked_scatter/rows", "masked_scatter", [normal((4, 5)), rows, normal((2, 5))], {}, masked, exact=True)
case("masked_scatter/scalar", "masked_scatter", [normal((4, 5)), bools((4, 5)), mx.array(7.0)], {}, masked, exact=True)
case("masked_scatter/none", "masked_scatter", [normal((4, 5)), mx.zeros((4, 5), mx.bool_), normal((1,))], {}, lambda x, m, s: x, exact=True)
for shape, strides, offset in (((2, 2), (1, 2), 1), ((3,), (0,), 4), ((2, 3, 2), (6, 2, 1), 0), ((4,), (-3,), 12), ((0, 2), (1, 1), 0)):
    call(f"as_strided/{shape}", "as_strided", [draw((4, 5), "i32")], shape=shape, strides=strides, offset=offset)

# --- Distinct elements ---

FULL = {"return_index": True, "return_inverse": True, "return_counts": True}
for dtype in ALL:
    x = draw((3, 4), dtype)
    for size in (1, 5, 14):
        call(f"unique/{dtype}/{size}", "unique", [x], size=size, **FULL)
call("unique/values", "unique", [draw((9,), "i32")], size=5)
call("unique/nan", "unique", [mx.array([3.0, NAN, INF, NAN, 1.0, -INF, 1.0])], size=9, **FULL)
case("unique/filled", "unique", [draw((6,), "i32"), mx.array(-99)], {"size": 9}, lambda x, f: mx.unique(x, 9, fill_value=f), exact=True)
call("unique/empty", "unique", [mx.zeros((0,))], size=0)
call("unique/error/empty", "unique", [mx.zeros((0,))], size=1)
call("unique/error/negative", "unique", [draw((3,), "i32")], size=-1)

write("shapes", "mlx_shapes.py")
