#!/usr/bin/env python3
"""Goldens of Fourier transforms from Python MLX (CPU): tests/goldens/ops/fft.json and .safetensors.

mlx_cases.py explains the format.

Rerun: python tools/oracles/mlx_fft.py
"""

import mlx.core as mx
import numpy as np
from mlx_cases import FLOATS, INF, case, draw, ints, normal, write

ONE = ("fft", "ifft", "rfft", "irfft")
SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17, 30, 31, 33, 63, 64, 65, 77, 127, 128, 129, 400)


def complex_normal(shape):
    return mx.array(np.array(normal(shape)) + 1j * np.array(normal(shape))).astype(mx.complex64)


def refusing(function):
    """With what MLX throws besides as what case() knows."""

    def call(*inputs):
        try:
            return function(*inputs)
        except RuntimeError as error:
            raise ValueError(str(error)) from error

    return call


def transform(label, op, x, **attrs):
    # Python calls sizes s where the C++ functions say n
    how = {"s" if k == "n" and op.endswith(("2", "n")) else k: v for k, v in attrs.items()}
    function = getattr(mx.fft, op)
    case(f"fft.{op}/{label}", f"fft.{op}", [x], attrs, refusing(lambda x: function(x, **how)))


def lines():
    for op in ONE:
        x = normal if op == "rfft" else complex_normal
        for n in SIZES:
            half = n // 2 + 1 if op == "irfft" else n
            attrs = {"n": n, "axis": -1} if op == "irfft" else {}
            transform(f"{n}", op, x((half,)), **attrs)
        for n in (6, 7, 16, 17):
            transform(f"11x{n}/0", op, x((n, 11)), axis=0)
            transform(f"2x{n}x3/1", op, x((2, n, 3)), axis=1)
            for norm in ("ortho", "forward"):
                transform(f"{n}/{norm}", op, x((3, n)), norm=norm)
            transform(f"{n}/longer", op, x((2, n)), n=n + 5, axis=-1)
            transform(f"{n}/shorter", op, x((2, n)), n=n - 3, axis=1)
        transform("1x1x1x1x1x1x5x2", op, x((1, 1, 1, 1, 1, 1, 5, 2)), axis=6)
        transform("0x4", op, x((0, 4)))
        transform("2x0/longer", op, mx.zeros((2, 0)), n=4, axis=1)
        for dtype in (*FLOATS, "i32", "u8", "bool"):
            transform(f"{dtype}", op, draw((3, 10), dtype))
        transform("complex", op, complex_normal((3, 10)))
        for label, shape, attrs in (
            ("axis", (2, 3), {"axis": 2}),
            ("scalar", (), {}),
            ("n_0", (2, 3), {"n": 0, "axis": 1}),
            ("n_negative", (2, 3), {"n": -2, "axis": 1}),
            ("empty", (2, 0), {}),
        ):
            transform(f"error/{label}", op, x(shape), **attrs)
    transform("error/one", "irfft", complex_normal((3, 1)))
    transform("long_prime", "fft", complex_normal((331,)))
    transform("long_power", "rfft", normal((2048,)))


def several():
    for op in ONE:
        x = normal if op == "rfft" else complex_normal
        transform("4x6", f"{op}2", x((4, 6)))
        transform("2x5x7", f"{op}2", x((2, 5, 7)))
        transform("axes", f"{op}2", x((5, 2, 7)), axes=[0, 2])
        transform("sizes", f"{op}2", x((2, 5, 7)), n=[8, 4], axes=[-1, -2])
        transform("ortho", f"{op}2", x((3, 5, 4)), norm="ortho")
        transform("3x4x5", f"{op}n", x((3, 4, 5)))
        transform("axes", f"{op}n", x((3, 4, 5)), axes=[2, 0])
        transform("sizes", f"{op}n", x((3, 4, 5)), n=[6, 2, 3], axes=[1, 0, 2])
        transform("forward", f"{op}n", x((3, 4, 2)), axes=[1], norm="forward")
        transform("no_axes", f"{op}n", normal((3, 4)), axes=[])
        for label, attrs in (
            ("twice", {"axes": [0, 0]}),
            ("twice_negative", {"axes": [1, -1]}),
            ("sizes", {"n": [2], "axes": [0, 1]}),
            ("axis", {"n": [2], "axes": [3]}),
        ):
            transform(f"error/{label}", f"{op}n", x((3, 4)), **attrs)


def shifts():
    for op in ("fftshift", "ifftshift"):
        function = getattr(mx.fft, op)
        for shape in ((5,), (6,), (3, 4), (2, 3, 5), (), (0, 3), (1,)):
            label = "x".join(map(str, shape)) or "scalar"
            case(f"fft.{op}/{label}", f"fft.{op}", [ints(shape)], {"axes": None}, function, exact=True)
        for axes in ([1], [-1, 0], [0, 0], []):
            case(
                f"fft.{op}/axes/{axes}",
                f"fft.{op}",
                [normal((4, 5))],
                {"axes": axes},
                lambda x: function(x, axes=axes),
                exact=True,
            )
        case(
            f"fft.{op}/error",
            f"fft.{op}",
            [normal((4, 5))],
            {"axes": [2]},
            lambda x: function(x, axes=[2]),
        )
    for op in ("fftfreq", "rfftfreq"):
        function = getattr(mx.fft, op)
        for n, d in ((1, 1.0), (2, 1.0), (5, 0.1), (8, 0.5), (33, 2.0), (0, 1.0), (4, 0.0)):
            case(f"fft.{op}/{n}/{d}", f"fft.{op}", [], {"n": n, "d": d}, lambda: function(n, d))


def parts():
    """What takes complex numbers apart."""
    z = mx.array([1 + 2j, -3 - 4j, complex(INF, 1), complex(0, -0.0), complex(3e38, -3e38), 1e-30j])
    for op in ("real", "imag", "conjugate", "abs"):
        function = getattr(mx, op)
        case(f"{op}/special", op, [z], {}, function, exact=op in ("real", "imag"))
        case(f"{op}/complex", op, [complex_normal((5, 9))], {}, function)
        case(f"{op}/complex/empty", op, [mx.zeros((0, 2), mx.complex64)], {}, function)
        if op != "abs":
            for dtype in (*FLOATS, "i32", "bool"):
                case(f"{op}/{dtype}", op, [draw((7,), dtype)], {}, function, exact=True)


def main():
    lines()
    parts()
    several()
    shifts()
    write("fft", "mlx_fft.py")


if __name__ == "__main__":
    main()
