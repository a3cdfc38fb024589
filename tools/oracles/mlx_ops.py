#!/usr/bin/env python3
"""Op goldens from Python MLX (CPU): tests/goldens/ops/general.json and .safetensors.

mlx_cases.py explains the format.

Rerun: python tools/oracles/mlx_ops.py
"""

import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx_cases import (
    DTYPES,
    FLOATS,
    INF,
    NAN,
    SPECIAL,
    bools,
    case,
    draw,
    ints,
    normal,
    shape_name,
    with_bad_rows,
    write,
)


def elementwise():
    shapes = [
        ((7,), (7,)),
        ((1,), (33,)),
        ((5, 1), (1, 9)),
        ((2, 3, 1, 5), (3, 4, 1)),
        ((), (8,)),
        ((0, 3), (3,)),
        ((17, 1), ()),
        ((129,), (129,)),
    ]
    for op in ("add", "subtract", "multiply", "divide", "maximum", "minimum"):
        for dtype in (*FLOATS, "i32"):
            for a, b in shapes:
                case(
                    f"{op}/{dtype}/{shape_name(a, b)}",
                    op,
                    [draw(a, dtype), draw(b, dtype)],
                    {},
                    getattr(mx, op),
                    exact=dtype == "i32" and op != "divide",
                )
        for dtype in FLOATS:
            special = mx.array(SPECIAL).astype(FLOATS[dtype])
            case(
                f"{op}/{dtype}/special",
                op,
                [special[:, None], special[None, :]],
                {},
                getattr(mx, op),
            )
            case(
                f"{op}/{dtype}/weak_scalar",
                op,
                [draw((9,), dtype)],
                {"scalar": 0.3},
                lambda x: getattr(mx, op)(x, 0.3),
            )
        case(f"{op}/i32/weak_int", op, [ints((9,))], {"scalar": 3}, lambda x: getattr(mx, op)(x, 3))
        case(
            f"{op}/i32/weak_float",
            op,
            [ints((9,))],
            {"scalar": 0.5},
            lambda x: getattr(mx, op)(x, 0.5),
        )
        case(f"{op}/error/shapes", op, [normal((3,)), normal((4,))], {}, getattr(mx, op))
    for a in DTYPES:
        for b in DTYPES:
            case(
                f"promote/{a}/{b}",
                "add",
                [mx.array([1, 0]).astype(DTYPES[a]), mx.array([1, 1]).astype(DTYPES[b])],
                {},
                mx.add,
                exact=True,
            )
    wrap = lambda v, d: mx.array(v, dtype=DTYPES[d])
    case(
        "add/i32/wraps",
        "add",
        [wrap([2**31 - 1, -(2**31)], "i32"), wrap([1, -1], "i32")],
        {},
        mx.add,
        exact=True,
    )
    case(
        "multiply/u8/wraps",
        "multiply",
        [wrap([200, 16], "u8"), wrap([2, 16], "u8")],
        {},
        mx.multiply,
        exact=True,
    )
    case(
        "subtract/u32/wraps",
        "subtract",
        [wrap([0, 1], "u32"), wrap([1, 2], "u32")],
        {},
        mx.subtract,
        exact=True,
    )

    unary = (
        "exp",
        "log",
        "sqrt",
        "rsqrt",
        "tanh",
        "sigmoid",
        "erf",
        "sin",
        "cos",
        "abs",
        "negative",
        "square",
        "reciprocal",
        "floor",
        "ceil",
    )
    for op in unary:
        function = getattr(mx, op)
        same = op in ("abs", "negative", "floor", "ceil")
        for dtype in FLOATS:
            special = mx.array(SPECIAL).astype(FLOATS[dtype])
            case(f"{op}/{dtype}/special", op, [special], {}, function, exact=same, via=not same)
            case(
                f"{op}/{dtype}/129",
                op,
                [normal((129,), dtype, scale=3.0)],
                {},
                function,
                exact=same,
                via=not same,
            )
        case(f"{op}/f32/3x0", op, [mx.zeros((3, 0))], {}, function)
        case(f"{op}/f32/scalar", op, [mx.array(0.375)], {}, function, exact=same)
        if op not in ("floor", "ceil"):
            case(
                f"{op}/i32",
                op,
                [mx.array([0, 1, -1, 2, 7, -7, 9, 100])],
                {},
                function,
                exact=same or op == "square",
            )
    for dtype in FLOATS:
        for op, function in (("gelu", nn.gelu), ("gelu_approx", nn.gelu_approx), ("silu", nn.silu)):
            case(
                f"{op}/{dtype}/65", op, [normal((5, 13), dtype, scale=3.0)], {}, function, via=True
            )
            case(
                f"{op}/{dtype}/special",
                op,
                [mx.array(SPECIAL).astype(FLOATS[dtype])],
                {},
                function,
                via=True,
            )

    compare = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    for op in compare:
        function = getattr(mx, op)
        for dtype in FLOATS:
            special = mx.array(SPECIAL).astype(FLOATS[dtype])
            case(
                f"{op}/{dtype}/special",
                op,
                [special[:, None], special[None, :]],
                {},
                function,
                exact=True,
            )
        case(f"{op}/i32/5x1_1x9", op, [ints((5, 1)), ints((1, 9))], {}, function, exact=True)
        case(f"{op}/i32_f32", op, [ints((17,)), normal((17,), scale=5.0)], {}, function, exact=True)
        case(f"{op}/bool", op, [bools((15,)), bools((15,))], {}, function, exact=True)
        case(
            f"{op}/f32/weak_scalar",
            op,
            [normal((9,))],
            {"scalar": 0.25},
            lambda x: function(x, 0.25),
            exact=True,
        )
    for op in ("logical_and", "logical_or"):
        function = getattr(mx, op)
        case(f"{op}/bool", op, [bools((5, 1)), bools((1, 9))], {}, function, exact=True)
        case(
            f"{op}/f32",
            op,
            [mx.array([0.0, -0.0, 1.0, NAN, INF])[:, None], mx.array([0.0, 2.0, NAN])],
            {},
            function,
            exact=True,
        )
        case(
            f"{op}/i32",
            op,
            [ints((31,), low=-1, high=2), ints((31,), low=-1, high=2)],
            {},
            function,
            exact=True,
        )
    for dtype in ("bool", "i32", "f32", "f16"):
        case(
            f"logical_not/{dtype}",
            "logical_not",
            [mx.array([0, 1, 0, 3]).astype(DTYPES[dtype])],
            {},
            mx.logical_not,
            exact=True,
        )

    for dtype in (*FLOATS, "i32", "bool"):
        case(
            f"where/{dtype}/5x9",
            "where",
            [bools((5, 9)), draw((5, 9), dtype), draw((5, 9), dtype)],
            {},
            mx.where,
            exact=True,
        )
        case(
            f"where/{dtype}/broadcast",
            "where",
            [bools((5, 1)), draw((1, 7), dtype), draw((), dtype)],
            {},
            mx.where,
            exact=True,
        )
    case(
        "where/f32/nan_not_taken",
        "where",
        [mx.array([True, False]), mx.array([1.0, NAN]), mx.array([NAN, 2.0])],
        {},
        mx.where,
        exact=True,
    )
    case(
        "where/f32_condition",
        "where",
        [mx.array([0.0, NAN, -0.0, 2.0]), mx.array(1), mx.array(0)],
        {},
        mx.where,
        exact=True,
    )
    case(
        "where/f16_f32",
        "where",
        [bools((8,)), normal((8,), "f16"), normal((8,))],
        {},
        mx.where,
        exact=True,
    )


def reductions():
    x_axes = [None, [0], [1], [2], [-1], [0, 2], [1, 2], [0, 1, 2]]
    for op in ("sum", "mean", "max", "min", "prod"):
        function = getattr(mx, op)
        exact = op in ("max", "min")
        for dtype in (*FLOATS, "i32", "bool"):
            x = (
                draw((3, 17, 5), dtype, scale=0.5, shift=0.9)
                if dtype in FLOATS
                else draw((3, 17, 5), dtype)
            )
            if op == "prod" and dtype == "i32":
                x = (
                    2 * ints((3, 17, 5), low=-2, high=2) + 1
                )  # odd, so that wrapping does not end at 0
            for axes in x_axes:
                for keepdims in ((False, True) if axes in (None, [1], [0, 2]) else (False,)):
                    label = "all" if axes is None else "_".join(map(str, axes))
                    case(
                        f"{op}/{dtype}/{label}{'/keep' if keepdims else ''}",
                        op,
                        [x],
                        {"axes": axes, "keepdims": keepdims},
                        lambda x: function(x, axis=axes, keepdims=keepdims),
                        exact=exact or (dtype in ("i32", "bool") and op != "mean"),
                        via=not exact,
                    )
        for dtype in FLOATS:
            if op != "prod":
                case(
                    f"{op}/{dtype}/4x1025",
                    op,
                    [normal((4, 1025), dtype, shift=0.5)],
                    {"axes": [1], "keepdims": False},
                    lambda x: function(x, axis=1),
                    exact=exact,
                    via=not exact,
                )
                case(
                    f"{op}/{dtype}/bad_rows",
                    op,
                    [with_bad_rows((6, 9), dtype)],
                    {"axes": [1], "keepdims": False},
                    lambda x: function(x, axis=1),
                    exact=exact,
                    via=not exact,
                )
        for shape, axes in (((0, 3), [0]), ((3, 0), [0]), ((0,), None), ((), None), ((1, 7), [0])):
            case(
                f"{op}/f32/empty/{shape_name(shape)}/{axes}",
                op,
                [normal(shape)],
                {"axes": axes, "keepdims": False},
                lambda x: function(x, axis=axes),
            )
        case(
            f"{op}/f32/no_axes",
            op,
            [normal((3, 4))],
            {"axes": [], "keepdims": False},
            lambda x: function(x, axis=[]),
            exact=True,
        )
        case(
            f"{op}/error/axis",
            op,
            [normal((3, 4))],
            {"axes": [2], "keepdims": False},
            lambda x: function(x, axis=[2]),
        )
        for dtype in ("i8", "u8", "i16", "i64"):
            case(
                f"{op}/{dtype}",
                op,
                [mx.array([100, 27, 100, 3, 1, 2]).astype(DTYPES[dtype])],
                {"axes": [0], "keepdims": False},
                lambda x: function(x, axis=0),
                exact=op != "mean",
            )
    case(
        "sum/bf16/repeated",
        "sum",
        [mx.ones((2, 1000), mx.bfloat16)],
        {"axes": [1], "keepdims": False},
        lambda x: mx.sum(x, axis=1),
        via=True,
    )

    for op in ("argmax", "argmin"):
        function = getattr(mx, op)
        for dtype in (*FLOATS, "i32", "bool"):
            for axis, keepdims in ((None, False), (0, False), (1, True), (-1, False)):
                case(
                    f"{op}/{dtype}/{axis}/{keepdims}",
                    op,
                    [draw((7, 9, 5), dtype)],
                    {"axis": axis, "keepdims": keepdims},
                    lambda x: function(x, axis=axis, keepdims=keepdims),
                    exact=True,
                )
            if dtype in FLOATS:
                x = with_bad_rows((6, 33), dtype)
                rows = mx.array([0, 2, 3, 4, 5])  # not the row with the NaN
                case(
                    f"{op}/{dtype}/inf_rows",
                    op,
                    [x[rows]],
                    {"axis": 1, "keepdims": False},
                    lambda x: function(x, axis=1),
                    exact=True,
                )
                case(
                    f"{op}/{dtype}/nan_row",
                    op,
                    [x[1:2]],
                    {"axis": 1, "keepdims": False},
                    lambda x: function(x, axis=1),
                    exact=True,
                    note="NaN: MLX's CPU and GPU kernels may differ",
                )
        case(
            f"{op}/f32/ties",
            op,
            [mx.array([[1.0, 3, 3, 0, 0], [2, 2, 2, 2, 2], [-0.0, 0.0, 0.0, -0.0, 0.0]])],
            {"axis": 1, "keepdims": False},
            lambda x: function(x, axis=1),
            exact=True,
        )
        case(
            f"{op}/f32/ties_long",
            op,
            [mx.tile(mx.array([0.0, 2.0, -2.0, 1.0]), (3, 64))],
            {"axis": 1, "keepdims": False},
            lambda x: function(x, axis=1),
            exact=True,
        )
        case(
            f"{op}/error/empty",
            op,
            [mx.zeros((0,))],
            {"axis": 0, "keepdims": False},
            lambda x: function(x, axis=0),
        )
    for op in ("all", "any"):
        function = getattr(mx, op)
        for axes in x_axes:
            for keepdims in ((False, True) if axes in (None, [1]) else (False,)):
                p = 0.95 if op == "all" else 0.05
                case(
                    f"{op}/bool/{axes}/{keepdims}",
                    op,
                    [bools((3, 17, 5), p)],
                    {"axes": axes, "keepdims": keepdims},
                    lambda x: function(x, axis=axes, keepdims=keepdims),
                    exact=True,
                )
        case(
            f"{op}/f32",
            op,
            [mx.array([[0.0, -0.0], [NAN, 0.0], [1.0, INF]])],
            {"axes": [1], "keepdims": False},
            lambda x: function(x, axis=1),
            exact=True,
        )
        case(
            f"{op}/i32",
            op,
            [ints((5, 7), low=-1, high=2)],
            {"axes": [1], "keepdims": False},
            lambda x: function(x, axis=1),
            exact=True,
        )
        case(
            f"{op}/bool/empty",
            op,
            [mx.zeros((0, 3), mx.bool_)],
            {"axes": [0], "keepdims": False},
            lambda x: function(x, axis=0),
            exact=True,
        )

    for dtype in FLOATS:
        for shape, axes in (
            ((5, 33), [-1]),
            ((5, 33), [0]),
            ((2, 7, 9), [1, 2]),
            ((2, 7, 9), None),
            ((3, 1), [1]),
            ((2, 129), [1]),
            ((2, 0), [1]),
        ):
            label = f"{shape_name(shape)}/{axes}"
            x = normal(shape, dtype, scale=4.0)
            case(
                f"softmax/{dtype}/{label}",
                "softmax",
                [x],
                {"axes": axes, "precise": True},
                lambda x: mx.softmax(x, axis=axes, precise=True),
                via=True,
            )
            case(
                f"logsumexp/{dtype}/{label}",
                "logsumexp",
                [x],
                {"axes": axes, "keepdims": axes == [0]},
                lambda x: mx.logsumexp(x, axis=axes, keepdims=axes == [0]),
                via=True,
            )
        bad = with_bad_rows((6, 17), dtype)
        case(
            f"softmax/{dtype}/bad_rows",
            "softmax",
            [bad],
            {"axes": [1], "precise": True},
            lambda x: mx.softmax(x, axis=1, precise=True),
            via=True,
        )
        case(
            f"logsumexp/{dtype}/bad_rows",
            "logsumexp",
            [bad],
            {"axes": [1], "keepdims": False},
            lambda x: mx.logsumexp(x, axis=1),
            via=True,
        )
        large = mx.array([[30000.0, 29999.0, -30000.0], [1e-3, 0.0, -1e-3]]).astype(FLOATS[dtype])
        case(
            f"softmax/{dtype}/large",
            "softmax",
            [large],
            {"axes": [1], "precise": True},
            lambda x: mx.softmax(x, axis=1, precise=True),
            via=True,
        )
        case(
            f"logsumexp/{dtype}/large",
            "logsumexp",
            [large],
            {"axes": [1], "keepdims": False},
            lambda x: mx.logsumexp(x, axis=1),
            via=True,
        )
    case(
        "softmax/i32",
        "softmax",
        [ints((3, 7))],
        {"axes": [1], "precise": True},
        lambda x: mx.softmax(x, axis=1, precise=True),
    )

    for dtype in (*FLOATS, "i32", "i8", "u8", "bool", "i64"):
        x = draw((3, 17, 2), dtype, scale=0.5) if dtype in FLOATS else draw((3, 17, 2), dtype)
        for axis in (None, 0, 1, -1):
            for reverse, inclusive in ((False, True), (True, True), (False, False), (True, False)):
                if axis != 1 and (reverse or not inclusive):
                    continue
                way, ends = "rev" if reverse else "fwd", "incl" if inclusive else "excl"
                case(
                    f"cumsum/{dtype}/{axis}/{way}/{ends}",
                    "cumsum",
                    [x],
                    {"axis": axis, "reverse": reverse, "inclusive": inclusive},
                    lambda x: mx.cumsum(x, axis=axis, reverse=reverse, inclusive=inclusive),
                    exact=dtype not in FLOATS,
                    via=True,
                )
    case(
        "cumsum/i8/wraps",
        "cumsum",
        [mx.array([100, 100, 100], dtype=mx.int8)],
        {"axis": 0, "reverse": False, "inclusive": True},
        lambda x: mx.cumsum(x, axis=0),
        exact=True,
    )
    case(
        "cumsum/f32/empty",
        "cumsum",
        [mx.zeros((0, 3))],
        {"axis": 0, "reverse": False, "inclusive": True},
        lambda x: mx.cumsum(x, axis=0),
        exact=True,
    )
    case(
        "cumsum/f32/nan_inf",
        "cumsum",
        [mx.array([1.0, INF, 1.0, -INF, 1.0, NAN, 2.0])],
        {"axis": 0, "reverse": False, "inclusive": True},
        lambda x: mx.cumsum(x, axis=0),
    )


def matmuls():
    shapes = [
        ((7,), (7,)),
        ((7,), (7, 9)),
        ((15, 7), (7,)),
        ((1, 8), (8, 33)),
        ((17, 31), (31, 9)),
        ((3, 5, 7), (7, 4)),
        ((2, 1, 5, 7), (3, 7, 4)),
        ((7,), (2, 7, 3)),
        ((3, 5, 0), (0, 4)),
        ((0, 5), (5, 3)),
        ((2, 0, 3), (2, 3, 4)),
        ((1, 1), (1, 1)),
        ((33, 65), (65, 17)),
        ((1, 129), (129, 65)),
        ((16, 64), (64, 32)),
    ]
    for dtype in FLOATS:
        for a, b in shapes:
            case(
                f"matmul/{dtype}/{shape_name(a, b)}",
                "matmul",
                [normal(a, dtype), normal(b, dtype)],
                {},
                mx.matmul,
                via=True,
            )
        bad = with_bad_rows((6, 9), dtype)
        case(
            f"matmul/{dtype}/bad_rows",
            "matmul",
            [bad, normal((9, 5), dtype)],
            {},
            mx.matmul,
            via=True,
        )
        for c, a, b, alpha, beta in (
            ((9,), (5, 7), (7, 9), 1.0, 1.0),
            ((5, 9), (5, 7), (7, 9), 0.5, 2.0),
            ((5, 1), (5, 7), (7, 9), 1.0, -1.0),
            ((9,), (2, 5, 7), (7, 9), 2.0, 1.0),
            ((3,), (4, 0), (0, 3), 1.0, 0.5),
            ((9,), (7,), (7, 9), 1.0, 1.0),
        ):
            case(
                f"addmm/{dtype}/{shape_name(c, a, b)}/{alpha}/{beta}",
                "addmm",
                [normal(c, dtype), normal(a, dtype), normal(b, dtype)],
                {"alpha": alpha, "beta": beta},
                lambda c, a, b: mx.addmm(c, a, b, alpha=alpha, beta=beta),
                via=True,
            )
    case("matmul/f16_f32", "matmul", [normal((5, 7), "f16"), normal((7, 3))], {}, mx.matmul)
    case(
        "matmul/f16_bf16", "matmul", [normal((5, 7), "f16"), normal((7, 3), "bf16")], {}, mx.matmul
    )
    case("matmul/error/inner", "matmul", [normal((5, 7)), normal((8, 3))], {}, mx.matmul)
    case("matmul/error/scalar", "matmul", [normal(()), normal((8, 3))], {}, mx.matmul)
    case("matmul/error/batch", "matmul", [normal((2, 5, 7)), normal((3, 7, 3))], {}, mx.matmul)
    case("matmul/error/i32", "matmul", [ints((5, 7)), ints((7, 3))], {}, mx.matmul)


def moves():
    for dtype in (*FLOATS, "i32", "bool"):
        x = draw((5, 7, 3), dtype)
        for index_type in ("i32", "u32", "i64"):
            for axis in (0, 1, -1, None):
                size = x.size if axis is None else x.shape[axis]
                low = 0 if index_type == "u32" else -size
                i = ints((2, 4), index_type, low=low, high=size)
                if dtype not in ("f32", "i32") and index_type != "i32":
                    continue
                case(
                    f"take/{dtype}/{index_type}/{axis}",
                    "take",
                    [x, i],
                    {"axis": axis},
                    lambda x, i: mx.take(x, i, axis=axis),
                    exact=True,
                )
        case(
            f"take_along_axis/{dtype}",
            "take_along_axis",
            [x, ints((5, 2, 3), low=-7, high=7)],
            {"axis": 1},
            lambda x, i: mx.take_along_axis(x, i, axis=1),
            exact=True,
        )
        if dtype in FLOATS:
            case(
                f"embedding/{dtype}",
                "embedding",
                [normal((11, 9), dtype), ints((2, 5), low=0, high=11)],
                {},
                lambda w, i: w[i],
                exact=True,
            )
        for axes in (None, [0, 2, 1], [2, 0, 1], [-1, 0, 1]):
            case(
                f"transpose/{dtype}/{axes}",
                "transpose",
                [x],
                {"axes": axes},
                lambda x: mx.transpose(x, axes),
                exact=True,
            )
        for shape in ([2, 5, 7, 3], [4, 5, 7, 3]):
            case(
                f"broadcast_to/{dtype}/{shape}",
                "broadcast_to",
                [x],
                {"shape": shape},
                lambda x: mx.broadcast_to(x, shape),
                exact=True,
            )
        case(
            f"broadcast_to/{dtype}/ones",
            "broadcast_to",
            [draw((5, 1, 3), dtype)],
            {"shape": [2, 5, 4, 3]},
            lambda x: mx.broadcast_to(x, [2, 5, 4, 3]),
            exact=True,
        )
        for axis in (0, 1, 2, -1):
            other = [5, 7, 3]
            other[axis] = 2
            case(
                f"concatenate/{dtype}/{axis}",
                "concatenate",
                [x, draw(other, dtype), x],
                {"axis": axis},
                lambda *a: mx.concatenate(a, axis=axis),
                exact=True,
            )
        for width, value in (([[1, 2], [0, 0], [3, 0]], 0), ([[0, 1], [2, 0], [0, 0]], 1)):
            case(
                f"pad/{dtype}/{width}",
                "pad",
                [x],
                {"pad_width": width, "constant_value": value},
                lambda x: mx.pad(x, width, constant_values=mx.array(value).astype(x.dtype)),
                exact=True,
            )
        slices = [
            ([0, 0, 0], [5, 7, 3], [1, 1, 1]),
            ([1, 2, 0], [4, 6, 3], [1, 1, 1]),
            ([0, 0, 0], [5, 7, 3], [2, 3, 2]),
            ([1, 1, 1], [5, 7, 3], [3, 2, 1]),
            ([-2, -3, 0], [5, -1, 2], [1, 1, 1]),
            ([4, 6, 2], [-6, -8, -4], [-1, -1, -1]),
            ([-1, 5, 0], [-5, 0, 3], [-2, -2, 1]),
            ([3, 0, 0], [3, 7, 3], [1, 1, 1]),
            ([0, 0, 0], [99, 99, 99], [1, 1, 1]),
        ]
        for start, stop, strides in slices:
            at = tuple(slice(a, b, c) for a, b, c in zip(start, stop, strides))
            attrs = {"start": start, "stop": stop, "strides": strides}
            label = f"{start}_{stop}_{strides}".replace(" ", "")
            case(f"slice/{dtype}/{label}", "slice", [x], attrs, lambda x: x[at], exact=True)
            update = draw(x[at].shape, dtype)

            def updated(x, u):
                y = mx.array(x)
                y[at] = u
                return y

            case(
                f"slice_update/{dtype}/{label}",
                "slice_update",
                [x, update],
                attrs,
                updated,
                exact=True,
            )
    case(
        "take/f32/empty_indices",
        "take",
        [normal((5, 3)), mx.zeros((0,), mx.int32)],
        {"axis": 0},
        lambda x, i: mx.take(x, i, axis=0),
        exact=True,
    )
    case(
        "take/f32/scalar_index",
        "take",
        [normal((5, 3)), mx.array(2)],
        {"axis": 0},
        lambda x, i: mx.take(x, i, axis=0),
        exact=True,
    )
    case(
        "take/f32/u8_index",
        "take",
        [normal((5, 3)), mx.array([4, 0], dtype=mx.uint8)],
        {"axis": 0},
        lambda x, i: mx.take(x, i, axis=0),
        exact=True,
    )
    case(
        "concatenate/f32/empty_piece",
        "concatenate",
        [normal((3, 0)), normal((3, 2)), normal((3, 1))],
        {"axis": 1},
        lambda *a: mx.concatenate(a, axis=1),
        exact=True,
    )
    case(
        "concatenate/f16_f32_i32",
        "concatenate",
        [normal((3,), "f16"), normal((2,)), ints((2,))],
        {"axis": 0},
        lambda *a: mx.concatenate(a),
        exact=True,
    )
    case(
        "concatenate/i32_u32",
        "concatenate",
        [ints((3,)), ints((2,), "u32", low=0)],
        {"axis": 0},
        lambda *a: mx.concatenate(a),
        exact=True,
    )
    case(
        "concatenate/error",
        "concatenate",
        [normal((3, 2)), normal((2, 3))],
        {"axis": 0},
        lambda *a: mx.concatenate(a),
    )
    case(
        "pad/f32/edge",
        "pad",
        [normal((3, 4))],
        {"pad_width": [[1, 1], [2, 3]], "mode": "edge"},
        lambda x: mx.pad(x, [[1, 1], [2, 3]], mode="edge"),
        exact=True,
    )
    case(
        "pad/f32/empty",
        "pad",
        [mx.zeros((0, 2))],
        {"pad_width": [[1, 1], [0, 0]], "constant_value": 4},
        lambda x: mx.pad(x, [[1, 1], [0, 0]], constant_values=mx.array(4.0)),
        exact=True,
    )
    case(
        "broadcast_to/f32/zero",
        "broadcast_to",
        [normal((1, 3))],
        {"shape": [0, 3]},
        lambda x: mx.broadcast_to(x, [0, 3]),
        exact=True,
    )
    case(
        "broadcast_to/f32/scalar",
        "broadcast_to",
        [mx.array(2.5)],
        {"shape": [2, 3]},
        lambda x: mx.broadcast_to(x, [2, 3]),
        exact=True,
    )
    case(
        "broadcast_to/error",
        "broadcast_to",
        [normal((3,))],
        {"shape": [4]},
        lambda x: mx.broadcast_to(x, [4]),
    )
    case(
        "reshape/f32/infer",
        "reshape",
        [normal((6, 4))],
        {"shape": [3, -1]},
        lambda x: mx.reshape(x, [3, -1]),
        exact=True,
    )
    case(
        "reshape/f32/transposed",
        "reshape",
        [normal((6, 4))],
        {"shape": [8, 3], "transpose_first": True},
        lambda x: mx.reshape(x.T, [8, 3]),
        exact=True,
    )
    case(
        "reshape/f32/empty",
        "reshape",
        [mx.zeros((0, 4))],
        {"shape": [2, 0]},
        lambda x: mx.reshape(x, [2, 0]),
        exact=True,
    )
    case(
        "reshape/error",
        "reshape",
        [normal((6, 4))],
        {"shape": [5, 5]},
        lambda x: mx.reshape(x, [5, 5]),
    )

    for dtype, start, stop, step in (
        ("i32", 0, 7, 1),
        ("i32", 3, 20, 4),
        ("i32", 5, -6, -3),
        ("i32", 5, 5, 1),
        ("i32", 5, 2, 1),
        ("f32", 0, 1, 0.1),
        ("f32", 1.5, -1.5, -0.4),
        ("f16", 0, 9, 1),
        ("bf16", 0, 33, 2),
        ("i64", -3, 4, 2),
        ("u8", 0, 8, 3),
        ("f32", 0, 129, 1),
    ):
        case(
            f"arange/{dtype}/{start}/{stop}/{step}",
            "arange",
            [],
            {"start": start, "stop": stop, "step": step, "dtype": dtype},
            lambda: mx.arange(start, stop, step, dtype=DTYPES[dtype]),
            exact=dtype[0] not in "fb",
        )

    halfway = [
        1.0,
        1.0 + 2**-11,
        1.0 + 3 * 2**-11,
        1.0 + 2**-11 + 2**-20,
        1.0 + 2**-8,
        1.0 + 3 * 2**-8,
        1.0 + 2**-8 + 2**-20,
        -1.0 - 2**-11,
        65504.0,
        65519.0,
        65520.0,
        1e6,
        3.38e38,
        3.4e38,
        5.96e-8,
        2.98e-8,
        2.99e-8,
        1e-9,
        6.1e-5,
        6.0e-5,
        0.1,
        -0.1,
        1 / 3,
        0.0,
        -0.0,
        INF,
        -INF,
        NAN,
    ]
    f32 = mx.array(halfway)
    for target in ("f16", "bf16", "bool", "f32"):
        case(
            f"astype/f32/{target}",
            "astype",
            [f32],
            {"dtype": target},
            lambda x: x.astype(DTYPES[target]),
            exact=True,
        )
    small = mx.array([0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 2.5, 99.99, 100.0, -100.0, 126.5])
    for source in FLOATS:
        x = small.astype(FLOATS[source])
        for target in ("i8", "i16", "i32", "i64", "bool", "f32", "f16", "bf16"):
            case(
                f"astype/{source}/{target}/small",
                "astype",
                [x],
                {"dtype": target},
                lambda x: x.astype(DTYPES[target]),
                exact=True,
            )
        for target in ("u8", "u16", "u32", "u64"):
            case(
                f"astype/{source}/{target}/small",
                "astype",
                [mx.abs(x)],
                {"dtype": target},
                lambda x: x.astype(DTYPES[target]),
                exact=True,
            )
    for source, values in (
        ("i32", [0, 1, -1, 127, 128, -129, 65535, 65536, 16777217, 16777219, 2**31 - 1, -(2**31)]),
        ("u32", [0, 1, 255, 256, 2**32 - 1, 2**24 + 1]),
        ("i64", [0, -1, 2**40 + 1, -(2**40), 2**53 + 1]),
        ("u8", [0, 1, 200, 255]),
        ("bool", [True, False]),
    ):
        x = mx.array(values, dtype=DTYPES[source])
        for target in DTYPES:
            case(
                f"astype/{source}/{target}",
                "astype",
                [x],
                {"dtype": target},
                lambda x: x.astype(DTYPES[target]),
                exact=True,
            )


def fused():
    for dtype in FLOATS:
        for width in (1, 8, 33, 65, 129):
            x, w, b = (
                normal((3, 2, width), dtype, scale=2.0, shift=0.3),
                normal((width,), dtype, 0.3, 1.0),
                normal((width,), dtype, 0.3),
            )
            case(
                f"rms_norm/{dtype}/{width}",
                "fast.rms_norm",
                [x, w],
                {"eps": 1e-5},
                lambda x, w: mx.fast.rms_norm(x, w, 1e-5),
                via=True,
            )
            case(
                f"layer_norm/{dtype}/{width}",
                "fast.layer_norm",
                [x, w, b],
                {"eps": 1e-5},
                lambda x, w, b: mx.fast.layer_norm(x, w, b, 1e-5),
                via=True,
            )
        x, w, b = (
            normal((4, 17), dtype, scale=0.1),
            normal((17,), dtype, 0.3, 1.0),
            normal((17,), dtype, 0.3),
        )
        case(
            f"rms_norm/{dtype}/no_weight",
            "fast.rms_norm",
            [x, None],
            {"eps": 1e-3},
            lambda x, w: mx.fast.rms_norm(x, w, 1e-3),
            via=True,
        )
        case(
            f"layer_norm/{dtype}/plain",
            "fast.layer_norm",
            [x, None, None],
            {"eps": 1e-3},
            lambda x, w, b: mx.fast.layer_norm(x, w, b, 1e-3),
            via=True,
        )
        case(
            f"layer_norm/{dtype}/no_bias",
            "fast.layer_norm",
            [x, w, None],
            {"eps": 1e-3},
            lambda x, w, b: mx.fast.layer_norm(x, w, b, 1e-3),
            via=True,
        )
        case(
            f"layer_norm/{dtype}/no_weight",
            "fast.layer_norm",
            [x, None, b],
            {"eps": 1e-3},
            lambda x, w, b: mx.fast.layer_norm(x, w, b, 1e-3),
            via=True,
        )
        bad = with_bad_rows((6, 17), dtype)
        case(
            f"rms_norm/{dtype}/bad_rows",
            "fast.rms_norm",
            [bad, w],
            {"eps": 1e-5},
            lambda x, w: mx.fast.rms_norm(x, w, 1e-5),
            via=True,
        )
        case(
            f"layer_norm/{dtype}/bad_rows",
            "fast.layer_norm",
            [bad, w, b],
            {"eps": 1e-5},
            lambda x, w, b: mx.fast.layer_norm(x, w, b, 1e-5),
            via=True,
        )
        case(
            f"rms_norm/{dtype}/zero_row",
            "fast.rms_norm",
            [mx.zeros((1, 17), FLOATS[dtype]), w],
            {"eps": 1e-5},
            lambda x, w: mx.fast.rms_norm(x, w, 1e-5),
            via=True,
        )
        # squares of these leave f16's range
        case(
            f"rms_norm/{dtype}/large",
            "fast.rms_norm",
            [normal((2, 31), dtype, scale=3000.0), normal((31,), dtype, 0.3, 1.0)],
            {"eps": 1e-6},
            lambda x, w: mx.fast.rms_norm(x, w, 1e-6),
            via=True,
        )
    case(
        "rms_norm/f16_f32_weight",
        "fast.rms_norm",
        [normal((3, 9), "f16"), normal((9,), shift=1.0)],
        {"eps": 1e-5},
        lambda x, w: mx.fast.rms_norm(x, w, 1e-5),
    )
    case(
        "rms_norm/error/weight",
        "fast.rms_norm",
        [normal((3, 9)), normal((8,))],
        {"eps": 1e-5},
        lambda x, w: mx.fast.rms_norm(x, w, 1e-5),
    )

    for dtype in FLOATS:
        for traditional in (False, True):
            for label, shape, dims, base, scale, offset in (
                ("full", (2, 3, 5, 16), 16, 10000.0, 1.0, 0),
                ("offset", (2, 3, 5, 16), 16, 500.0, 1.0, 7),
                ("partial", (1, 2, 9, 16), 10, 10000.0, 1.0, 3),
                ("scale", (1, 2, 7, 8), 8, 10000.0, 0.25, 2),
                ("step", (1, 3, 1, 8), 8, 10000.0, 1.0, 1000),
                ("rank3", (3, 7, 8), 8, 100.0, 1.0, 1),
            ):
                attrs = {
                    "dims": dims,
                    "traditional": traditional,
                    "base": base,
                    "scale": scale,
                    "offset": offset,
                }
                case(
                    f"rope/{dtype}/{'trad' if traditional else 'half'}/{label}",
                    "fast.rope",
                    [normal(shape, dtype)],
                    attrs,
                    lambda x: mx.fast.rope(
                        x, dims, traditional=traditional, base=base, scale=scale, offset=offset
                    ),
                    via=True,
                )
            attrs = {
                "dims": 8,
                "traditional": traditional,
                "base": 10000.0,
                "scale": 1.0,
                "offset": "input 1",
            }
            case(
                f"rope/{dtype}/{'trad' if traditional else 'half'}/offset_array",
                "fast.rope",
                [normal((3, 2, 4, 8), dtype), mx.array([0, 5, 31])],
                attrs,
                lambda x, o: mx.fast.rope(
                    x, 8, traditional=traditional, base=10000.0, scale=1.0, offset=o
                ),
                via=True,
            )
            case(
                f"rope/{dtype}/{'trad' if traditional else 'half'}/offset_scalar_array",
                "fast.rope",
                [normal((2, 2, 3, 8), dtype), mx.array(9)],
                attrs,
                lambda x, o: mx.fast.rope(
                    x, 8, traditional=traditional, base=10000.0, scale=1.0, offset=o
                ),
                via=True,
            )
            attrs = {
                "dims": 8,
                "traditional": traditional,
                "base": None,
                "scale": 0.5,
                "offset": 2,
                "freqs": "input 1",
            }
            case(
                f"rope/{dtype}/{'trad' if traditional else 'half'}/freqs",
                "fast.rope",
                [normal((1, 2, 5, 12), dtype), mx.array([1.0, 3.0, 20.0, 700.0])],
                attrs,
                lambda x, f: mx.fast.rope(
                    x, 8, traditional=traditional, base=None, scale=0.5, offset=2, freqs=f
                ),
                via=True,
            )

    def sdpa(q, k, v, mask=None, *, scale):
        if mask is not None and not isinstance(mask, str) and mask.dtype != mx.bool_:
            mask = mask.astype(q.dtype)
        return mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask=mask)

    for dtype in FLOATS:
        for label, b, heads, kv_heads, tq, tk, d in (
            ("mha", 2, 3, 3, 5, 5, 16),
            ("gqa", 1, 6, 2, 7, 9, 16),
            ("decode", 2, 4, 1, 1, 17, 32),
            ("d64", 1, 2, 1, 9, 9, 64),
            ("odd_d", 1, 2, 2, 4, 6, 15),
            ("prefill", 1, 2, 1, 33, 33, 8),
        ):
            scale = round(d**-0.5, 6)
            q, k, v = (
                normal((b, heads, tq, d), dtype),
                normal((b, kv_heads, tk, d), dtype),
                normal((b, kv_heads, tk, d), dtype),
            )
            attrs = {"scale": scale}
            case(
                f"sdpa/{dtype}/{label}/none",
                "fast.scaled_dot_product_attention",
                [q, k, v],
                {**attrs, "mask": None},
                lambda q, k, v: sdpa(q, k, v, scale=scale),
                via=True,
            )
            case(
                f"sdpa/{dtype}/{label}/causal",
                "fast.scaled_dot_product_attention",
                [q, k, v],
                {**attrs, "mask": "causal"},
                lambda q, k, v: sdpa(q, k, v, "causal", scale=scale),
                via=True,
            )
            keep = np.array(bools((b, 1, tq, tk), 0.6))
            keep[..., 0] = True
            case(
                f"sdpa/{dtype}/{label}/bool",
                "fast.scaled_dot_product_attention",
                [q, k, v, mx.array(keep)],
                {**attrs, "mask": "input 3"},
                lambda q, k, v, m: sdpa(q, k, v, m, scale=scale),
                via=True,
            )
            case(
                f"sdpa/{dtype}/{label}/additive",
                "fast.scaled_dot_product_attention",
                [q, k, v, normal((heads, tq, tk), dtype)],
                {**attrs, "mask": "input 3"},
                lambda q, k, v, m: sdpa(q, k, v, m, scale=scale),
                via=True,
            )
        q = mx.array(np.arange(8, dtype=np.float32).reshape(1, 1, 4, 2) / 8).astype(FLOATS[dtype])
        keep = mx.array([[True] * 4, [False] * 4, [True] * 4, [True, False, True, False]])
        case(
            f"sdpa/{dtype}/fully_masked_bool",
            "fast.scaled_dot_product_attention",
            [q, q, q, keep],
            {"scale": 1.0, "mask": "input 3"},
            lambda q, k, v, m: sdpa(q, k, v, m, scale=1.0),
            via=True,
            note="row 1 has nothing to attend to: MLX's CPU way replaces masked scores by the "
            "lowest finite number, so the row is the mean of v",
        )
        case(
            f"sdpa/{dtype}/fully_masked_additive",
            "fast.scaled_dot_product_attention",
            [q, q, q, mx.where(keep, 0.0, -INF).astype(FLOATS[dtype])],
            {"scale": 1.0, "mask": "input 3"},
            lambda q, k, v, m: sdpa(q, k, v, m, scale=1.0),
            via=True,
            note="row 1 is masked by -inf throughout: NaN on MLX's CPU way",
        )


def main():
    elementwise()
    reductions()
    matmuls()
    moves()
    fused()
    write("general", "mlx_ops.py")


if __name__ == "__main__":
    main()
