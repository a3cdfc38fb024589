#!/usr/bin/env python3
"""Op goldens from Python MLX (CPU): tests/goldens/ops/core.json and .safetensors.

Every elementwise, reducing and normalising op at each size around the widths of vectors and tiles, on
whole, transposed, strided and broadcast inputs and at ranks 0 to 8; power, linear, and what else the
mutation run showed to be unseen. mlx_cases.py explains the format.

Rerun: python tools/oracles/mlx_core.py
"""

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx_cases import FLOATS, INF, NAN, SPECIAL, case, ints, normal, shape_name, write

SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 129)

UNARY = {
    "exp": mx.exp,
    "log": mx.log,
    "sin": mx.sin,
    "cos": mx.cos,
    "sqrt": mx.sqrt,
    "rsqrt": mx.rsqrt,
    "tanh": mx.tanh,
    "erf": mx.erf,
    "sigmoid": mx.sigmoid,
    "negative": mx.negative,
    "abs": mx.abs,
    "square": mx.square,
    "reciprocal": mx.reciprocal,
    "floor": mx.floor,
    "ceil": mx.ceil,
    "gelu": nn.gelu,
    "silu": nn.silu,
}
POSITIVE = ("log", "sqrt", "rsqrt")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "minimum")


def sizes():
    """One vector for all ops, so that its bytes are stored once."""
    long = np.array(normal((129,)))
    other = np.array(normal((129,)))
    for dtype, kind in FLOATS.items():
        for size in SIZES:
            x = mx.array(long[:size]).astype(kind)
            y = mx.array(other[:size]).astype(kind)
            for op, function in UNARY.items():
                value = mx.abs(x) if op in POSITIVE else x
                case(f"{op}/{dtype}/size/{size}", op, [value], {}, function, via=True)
            for op in BINARY:
                case(f"{op}/{dtype}/size/{size}", op, [x, y], {}, getattr(mx, op), via=True)
            rows = mx.array(np.stack([long[:size], other[:size]])).astype(kind)
            for op in ("sum", "mean", "max", "min", "prod"):
                function = getattr(mx, op)
                case(
                    f"{op}/{dtype}/size/{size}",
                    op,
                    [rows],
                    {"axes": [1], "keepdims": False},
                    lambda a, f=function: f(a, axis=1),
                    via=True,
                )
            case(
                f"softmax/{dtype}/size/{size}",
                "softmax",
                [rows],
                {"axes": [1], "precise": True},
                lambda a: mx.softmax(a, axis=1, precise=True),
                via=True,
            )
            case(
                f"rms_norm/{dtype}/size/{size}",
                "fast.rms_norm",
                [rows, y],
                {"eps": 1e-5},
                lambda a, w: mx.fast.rms_norm(a, w, 1e-5),
                via=True,
            )
            case(
                f"layer_norm/{dtype}/size/{size}",
                "fast.layer_norm",
                [rows, y, x],
                {"eps": 1e-5},
                lambda a, w, b: mx.fast.layer_norm(a, w, b, 1e-5),
                via=True,
            )


def power():
    bases = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.7, INF, -INF, NAN]
    exponents = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5, 2.5, INF, -INF, NAN]
    for dtype, kind in FLOATS.items():
        base, exponent = mx.array(bases).astype(kind), mx.array(exponents).astype(kind)
        case(
            f"power/{dtype}/special",
            "power",
            [base[:, None], exponent[None, :]],
            {},
            mx.power,
            via=True,
        )
        case(
            f"power/{dtype}/33",
            "power",
            [mx.abs(normal((33,), dtype)) + 0.1, normal((33,), dtype)],
            {},
            mx.power,
            via=True,
        )
    base = mx.array([-3, -2, -1, 0, 1, 2, 3, 7]).astype(mx.int32)
    exponent = mx.array([0, 1, 2, 3, 5]).astype(mx.int32)
    case("power/i32", "power", [base[:, None], exponent[None, :]], {}, mx.power, exact=True)


def linears():
    shapes = [((3, 17), 9), ((1, 64), 33), ((2, 5, 31), 16), ((8,), 7), ((129, 65), 3), ((4, 4), 4)]
    for dtype in FLOATS:
        for shape, n in shapes:
            x, w, b = normal(shape, dtype), normal((n, shape[-1]), dtype), normal((n,), dtype)
            name = f"linear/{dtype}/{shape_name(shape)}_{n}"
            case(name, "linear", [x, w, None], {}, lambda x, w, b: x @ w.T, via=True)
            case(name + "/bias", "linear", [x, w, b], {}, lambda x, w, b: x @ w.T + b, via=True)


def layouts():
    """The adapter lays the whole input out as "layout" says before the call."""
    base = normal((6, 10))
    layouts = {
        "transposed": lambda x: x.T,
        "strided": lambda x: x[::2, 1::3],
        "reversed": lambda x: x[::-1, ::-1],
        "expanded": lambda x: mx.broadcast_to(x[:, :1], x.shape),
    }
    for layout, arrange in layouts.items():
        for op in ("exp", "negative", "floor", "sigmoid"):
            case(
                f"{op}/f32/layout/{layout}",
                op,
                [base],
                {"layout": layout},
                lambda x, f=UNARY[op], a=arrange: f(a(x)),
            )
        for op in ("add", "multiply", "maximum"):
            case(
                f"{op}/f32/layout/{layout}",
                op,
                [base, base],
                {"layout": layout},
                lambda x, y, f=getattr(mx, op), a=arrange: f(a(x), a(y)),
            )
        for op in ("sum", "max", "argmax"):
            attrs = {"axes": [0], "keepdims": False} if op != "argmax" else {"axis": 0, "keepdims": False}
            case(
                f"{op}/f32/layout/{layout}",
                op,
                [base],
                {**attrs, "layout": layout},
                lambda x, f=getattr(mx, op), a=arrange: f(a(x), axis=0),
            )
        case(
            f"softmax/f32/layout/{layout}",
            "softmax",
            [base],
            {"axes": [-1], "precise": False, "layout": layout},
            lambda x, a=arrange: mx.softmax(a(x), axis=-1),
        )


def ranks():
    for rank in range(9):
        shape = tuple((2, 1, 3, 1, 2, 2, 1, 2)[:rank])
        x, y = normal(shape), normal(shape[1:])
        case(f"add/f32/rank/{rank}", "add", [x, y], {}, mx.add)
        case(f"exp/f32/rank/{rank}", "exp", [x], {}, mx.exp)
        case(
            f"sum/f32/rank/{rank}",
            "sum",
            [x],
            {"axes": None, "keepdims": False},
            lambda a: mx.sum(a),
        )
        if rank:
            case(
                f"transpose/f32/rank/{rank}",
                "transpose",
                [x],
                {"axes": None},
                lambda a: mx.transpose(a),
                exact=True,
            )
            case(
                f"max/f32/rank/{rank}",
                "max",
                [x],
                {"axes": [-1], "keepdims": True},
                lambda a: mx.max(a, axis=-1, keepdims=True),
                exact=True,
            )


def unseen():
    for dtype, kind in FLOATS.items():
        special = mx.array(SPECIAL).astype(kind)
        case(f"logical_not/{dtype}/special", "logical_not", [special], {}, mx.logical_not, exact=True)
        case(
            f"prod/{dtype}/nan_row",
            "prod",
            [mx.array([[1.0, NAN, 2.0], [1.0, 2.0, 3.0]]).astype(kind)],
            {"axes": [1], "keepdims": False},
            lambda a: mx.prod(a, axis=1),
        )
        square = normal((5, 5), dtype)
        case(f"transpose/{dtype}/square", "transpose", [square], {"axes": None}, mx.transpose, exact=True)
    square = ints((4, 4))
    case("transpose/i32/square", "transpose", [square], {"axes": [1, 0]}, mx.transpose, exact=True)


def main():
    sizes()
    power()
    linears()
    layouts()
    ranks()
    unseen()
    write("core", "mlx_core.py")


if __name__ == "__main__":
    main()
