#!/usr/bin/env python3
"""Goldens of the elementwise functions beyond the core set, from Python MLX (CPU):
tests/goldens/ops/elementwise.json and .safetensors.

mlx_cases.py explains the format.

Rerun: python tools/oracles/mlx_elementwise.py
"""

import itertools
import math

import mlx.core as mx
from mlx_cases import DTYPES, FLOATS, INF, NAN, SPECIAL, bools, case, draw, ints, normal, write

INTEGERS = ("i32", "u8", "i8", "i16", "u16", "u32", "i64", "u64")
ALL = (*FLOATS, *INTEGERS, "bool")


def floats(values, dtype="f32"):
    return mx.array(values, dtype=mx.float32).astype(DTYPES[dtype])


def call(name, op, inputs, attrs=None, exact=False, via=True, note=None, **options):
    attrs = attrs or {}
    case(name, op, inputs, attrs, lambda *x: getattr(mx, op)(*x, **attrs, **options), exact=exact, via=via, note=note)


# --- One input, floating result ---

DOMAIN = {  # scale and shift of the drawn inputs, and values of interest
    "tan": (2.0, 0.0, [0.0, -0.0, 1.0, -1.0, 1e-4, 3.0, NAN]),
    "arcsin": (0.4, 0.0, [0.0, -0.0, 1.0, -1.0, 0.999, -0.9999, 1.5, -2.0, NAN, INF]),
    "arccos": (0.4, 0.0, [0.0, -0.0, 1.0, -1.0, 0.999, -0.9999, 1.5, -2.0, NAN, INF]),
    "arctan": (3.0, 0.0, [0.0, -0.0, 1.0, -1.0, 1e-4, 1e4, 0.4142, 2.4142, INF, -INF, NAN]),
    "sinh": (3.0, 0.0, [0.0, -0.0, 1e-4, -1e-4, 1.0, 20.5, -20.5, 60.0, INF, -INF, NAN]),
    "cosh": (3.0, 0.0, [0.0, -0.0, 1e-4, -1e-4, 1.0, 20.5, -20.5, 60.0, INF, -INF, NAN]),
    "arcsinh": (5.0, 0.0, [0.0, -0.0, 1e-4, -1e-4, 1.0, -1e4, 6e4, INF, -INF, NAN]),
    "arccosh": (1.0, 5.0, [1.0, 1.0009765625, 1.5, 2.0, 0.5, -3.0, 6e4, INF, -INF, NAN]),
    "arctanh": (0.3, 0.0, [0.0, -0.0, 1.0, -1.0, 1e-4, 0.99, -0.99, 1.5, NAN]),
    "degrees": (3.0, 0.0, [0.0, -0.0, 1.0, INF, NAN]),
    "radians": (180.0, 0.0, [0.0, -0.0, 90.0, INF, NAN]),
    "expm1": (2.0, 0.0, [0.0, -0.0, 1e-4, -1e-4, 80.0, -80.0, 200.0, INF, -INF, NAN]),
    "log2": (1.0, 5.0, [0.0, -0.0, 1.0, 2.0, 8.0, 1024.0, 0.5, -1.0, INF, -INF, NAN]),
    "log10": (1.0, 5.0, [0.0, -0.0, 1.0, 10.0, 1000.0, 0.5, -1.0, INF, -INF, NAN]),
}
for op, (scale, shift, interesting) in DOMAIN.items():
    for dtype in FLOATS:
        call(f"{op}/{dtype}/special", op, [floats(interesting, dtype)])
        for shape in ((1,), (7,), (65,), (3, 0), (2, 3, 5)):
            call(f"{op}/{dtype}/{'x'.join(map(str, shape))}", op, [normal(shape, dtype, scale=scale, shift=shift)])
        call(f"{op}/{dtype}/scalar", op, [normal((), dtype, scale=scale, shift=shift)])
    for dtype in (*INTEGERS, "bool"):
        call(f"{op}/{dtype}", op, [draw((9,), dtype)])

# --- Rounding and signs ---

HALVES = [0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, 0.49999997, -0.49999997, 0.0, -0.0, 0.2, -0.2, 8388607.5, 1e10, INF, -INF, NAN]
for dtype in ALL:
    x = normal((33,), dtype, scale=30.0) if dtype in FLOATS else draw((33,), dtype)
    call(f"round/{dtype}", "round", [x], {"decimals": 0}, exact=True)
    for decimals in (1, 2, -1):
        call(f"round/{dtype}/{decimals}", "round", [x], {"decimals": decimals}, via=False)
    call(f"sign/{dtype}", "sign", [x], exact=True)
    call(f"nan_to_num/{dtype}", "nan_to_num", [x], exact=True, via=False)
for dtype in FLOATS:
    call(f"round/{dtype}/halves", "round", [floats(HALVES, dtype)], {"decimals": 0}, exact=True)
    call(f"sign/{dtype}/special", "sign", [floats(SPECIAL, dtype)])
    call(f"nan_to_num/{dtype}/special", "nan_to_num", [floats(SPECIAL, dtype)], exact=True, via=False)
    call(f"nan_to_num/{dtype}/given", "nan_to_num", [floats(SPECIAL, dtype)], {"nan": 1.5, "posinf": 7.0, "neginf": -3.0}, exact=True)

# --- Quotients ---

for dtype in ALL:
    for op in ("floor_divide", "remainder", "divmod"):
        if dtype in FLOATS:
            a, b = normal((41,), dtype, scale=20.0), normal((41,), dtype, scale=2.0, shift=4.0)
        elif dtype == "bool":
            a, b = mx.array([True, False]), mx.array([True, True])
        else:
            # by 0 MLX's process dies for some dtypes
            a, b = draw((41,), dtype), ints((41,), dtype, 1, 6)
            b = b if dtype[0] == "u" else b * mx.where(bools((41,)), 1, -1).astype(b.dtype)
        exact = dtype not in FLOATS
        call(f"{op}/{dtype}", op, [a, b], exact=exact, via=False)
        if dtype != "bool":
            call(f"{op}/{dtype}/broadcast", op, [a[:3].reshape(3, 1), b[:5]], exact=exact, via=False)
A, B = zip(*itertools.product((7.5, -7.5, 0.0, -0.0, INF, -INF, NAN), (2.0, -2.0, 0.0, INF, -INF, NAN)))
for op in ("floor_divide", "remainder"):
    for dtype in FLOATS:
        call(f"{op}/{dtype}/special", op, [floats(A, dtype), floats(B, dtype)])
    call(f"{op}/i32/f16", op, [draw((5,), "i32"), normal((5,), "f16", shift=3.0)], via=False)
    call(f"{op}/u8/i8", op, [draw((5,), "u8"), ints((5,), "i8", 1, 5)], exact=True)
    call(f"{op}/error/shapes", op, [normal((3,)), normal((4,))])
call("remainder/i32/least", "remainder", [mx.array([-(2**31), 2**31 - 1]), mx.array([7, -7])], exact=True)
call("remainder/error/complex", "remainder", [mx.array([1j]), mx.array([1j])])

# --- Two inputs ---

for dtype in ALL:
    for op in ("arctan2", "logaddexp"):
        a, b = (draw((37,), dtype) for _ in range(2))
        call(f"{op}/{dtype}", op, [a, b])
        call(f"{op}/{dtype}/broadcast", op, [a[:4].reshape(4, 1), b[:3]])
SIGNS = (0.0, -0.0, 1.0, -2.5, 1e-4, -1e4, INF, -INF, NAN)
A, B = zip(*itertools.product(SIGNS, SIGNS))
for op in ("arctan2", "logaddexp"):
    for dtype in FLOATS:
        call(f"{op}/{dtype}/special", op, [floats(A, dtype), floats(B, dtype)])
    call(f"{op}/error/shapes", op, [normal((3,)), normal((4,))])
call("arctan2/error/complex", "arctan2", [mx.array([1j]), mx.array([1j])])

# --- Limits ---

for dtype in ALL:
    x = draw((31,), dtype)
    low, high = mx.array(0).astype(DTYPES[dtype]), mx.array(1 if dtype == "bool" else 4).astype(DTYPES[dtype])
    for name, inputs in (("both", [x, low, high]), ("low", [x, low, None]), ("high", [x, None, high])):
        call(f"clip/{dtype}/{name}", "clip", inputs, exact=True)
call("clip/f32/nan", "clip", [floats(SPECIAL), mx.array(-1.0), mx.array(1.0)], exact=True)
call("clip/f32/crossed", "clip", [normal((9,)), mx.array(0.5), mx.array(-0.5)], exact=True)
call("clip/i32/promoted", "clip", [draw((3, 4), "i32"), normal((4,)), None], exact=True)
call("clip/error/none", "clip", [normal((3,)), None, None])

# --- Questions ---

for op in ("isnan", "isinf", "isfinite", "isposinf", "isneginf"):
    for dtype in FLOATS:
        call(f"{op}/{dtype}", op, [floats(SPECIAL, dtype)], exact=True)
    for dtype in (*INTEGERS, "bool"):
        call(f"{op}/{dtype}", op, [draw((5,), dtype)], exact=True)
    parts = (0.0, 2.0, INF, -INF, NAN)
    z = mx.array([complex(a, b) for a in parts for b in parts])
    call(f"{op}/c64", op, [z], exact=True)
A, B = zip(*itertools.product(SPECIAL, SPECIAL))
for op in ("isclose", "allclose", "array_equal"):
    for dtype in ALL:
        x = draw((23,), dtype)
        y = (x * mx.where(bools((23,)), 1.0, 1.001)).astype(x.dtype)
        call(f"{op}/{dtype}", op, [x, y], exact=True)
        call(f"{op}/{dtype}/same", op, [x, x], exact=True)
    for dtype in FLOATS:
        for equal_nan in (False, True):
            attrs = {"equal_nan": equal_nan}
            call(f"{op}/{dtype}/special/{equal_nan}", op, [floats(A, dtype), floats(B, dtype)], attrs, exact=True)
            call(f"{op}/{dtype}/special_same/{equal_nan}", op, [floats(A, dtype)] * 2, attrs, exact=True)
call("isclose/f32/loose", "isclose", [normal((19,)), normal((19,))], {"rtol": 0.5, "atol": 0.25}, exact=True)
call("allclose/f32/loose", "allclose", [normal((19,)), normal((19,))], {"rtol": 0.5, "atol": 10.0}, exact=True)
call("isclose/i32/f32", "isclose", [draw((3, 1), "i32"), normal((4,))], exact=True)
call("array_equal/i32/f32", "array_equal", [mx.array([1, 2]), mx.array([1.0, 2.0])], exact=True)
call("array_equal/shapes", "array_equal", [mx.array([1, 2]), mx.array([1, 2, 3])], exact=True)
call("array_equal/empty", "array_equal", [mx.zeros((0,)), mx.zeros((0,))], exact=True)
call("isclose/error/shapes", "isclose", [normal((3,)), normal((4,))])
call("nan_to_num/error/complex", "nan_to_num", [mx.array([1j])])

write("elementwise", "mlx_elementwise.py")
