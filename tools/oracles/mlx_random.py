#!/usr/bin/env python3
"""Goldens of random numbers and bitwise ops from Python MLX (CPU): tests/goldens/ops/random.json
and .safetensors.

mlx_cases.py explains the format. The first input of a random case is the key.

Rerun: python tools/oracles/mlx_random.py
"""

import math
import pathlib
import struct
import tempfile

import mlx.core as mx
import numpy as np
from mlx_cases import DTYPES, FLOATS, INF, NAN, bools, case, ints, normal, write

SIZES = (1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 129)
INTEGERS = [d for d in DTYPES if d[0] in "ui"]


def bits(key, shape, width):
    """mlx::core::random::bits, which Python lacks: the exported graph of split() has one RandomBits
    op of shape [num, 2] and width 4, and both are written over in the file."""
    rows, columns = shape
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bits.mlxfn"
        mx.export_function(str(path), lambda k: mx.random.split(k, 77), key)
        graph = path.read_bytes()
        kind = {1: 1, 2: 2, 4: 3}[width]
        for old, new in (
            (struct.pack("<iii", 77, 2, 4), struct.pack("<iii", rows, columns, width)),
            (struct.pack("<iiiB", 77, 2, 3, 4), struct.pack("<iiiB", rows, columns, kind, width)),
        ):
            assert graph.count(old) == 1
            graph = graph.replace(old, new)
        path.write_bytes(graph)
        (out,) = mx.import_function(str(path))(key)
        mx.eval(out)
    assert out.shape == tuple(shape)
    return out


def random_bits():
    for seed in (0, 1, 2**33 + 5):
        key = mx.random.key(seed)
        case(f"random.key/{seed}", "random.key", [], {"seed": seed}, lambda: key, exact=True)
        for num in (1, 2, 5, 33):
            case(
                f"random.split/{seed}/{num}",
                "random.split",
                [key],
                {"num": num},
                lambda k: mx.random.split(k, num),
                exact=True,
            )
        for width in (1, 2, 4):
            for n in SIZES + (3, 5, 6):
                case(
                    f"random.bits/{seed}/{width}/{n}",
                    "random.bits",
                    [key],
                    {"shape": [n, 1], "width": width},
                    lambda k: bits(k, [n, 1], width),
                    exact=True,
                )
            case(
                f"random.bits/{seed}/{width}/5x13",
                "random.bits",
                [key],
                {"shape": [5, 13], "width": width},
                lambda k: bits(k, [5, 13], width),
                exact=True,
            )
    key = mx.random.key(3)
    case("random.split/none", "random.split", [key], {"num": 0}, lambda k: mx.random.split(k, 0), exact=True)
    case("random.split/error", "random.split", [key], {"num": -1}, lambda k: mx.random.split(k, -1))
    for label, bad in (("dtype", mx.array([1, 2])), ("shape", mx.array([1, 2, 3], mx.uint32))):
        case(
            f"random.split/error/{label}",
            "random.split",
            [bad],
            {"num": 2},
            lambda k: mx.random.split(k, 2),
        )


def distribution(label, name, attrs, inputs, compute, exact=False, note=None):
    key = mx.random.key(len(label) * 1000 + sum(map(ord, label)))
    case(
        f"random.{name}/{label}", f"random.{name}", [key, *inputs], attrs, compute, exact=exact, note=note
    )


def distributions():
    r = mx.random
    for dtype, kind in FLOATS.items():
        for n in SIZES:
            shape = [n]
            attrs = {"shape": shape, "dtype": dtype}
            distribution(
                f"{dtype}/{n}",
                "uniform",
                attrs,
                [mx.array(-1.5), mx.array(2.25)],
                lambda k, lo, hi: r.uniform(lo, hi, shape, dtype=kind, key=k),
                exact=True,
            )
            distribution(
                f"{dtype}/{n}",
                "normal",
                {**attrs, "loc": 0.0, "scale": 1.0},
                [],
                lambda k: r.normal(shape, dtype=kind, key=k),
            )
        shape, attrs = [3, 5, 1, 2], {"shape": [3, 5, 1, 2], "dtype": dtype}
        distribution(
            f"{dtype}/broadcast",
            "uniform",
            attrs,
            [normal((5, 1, 1)), normal((2,), dtype)],
            lambda k, lo, hi: r.uniform(lo, hi, shape, dtype=kind, key=k),
            exact=True,
        )
        distribution(
            f"{dtype}/loc_scale",
            "normal",
            {**attrs, "loc": -1.5, "scale": 0.25},
            [],
            lambda k: r.normal(shape, dtype=kind, loc=-1.5, scale=0.25, key=k),
        )
        distribution(
            f"{dtype}/arrays",
            "normal",
            attrs,
            [normal((5, 1, 1)), normal((2,), dtype)],
            lambda k, loc, scale: r.normal(shape, dtype=kind, loc=loc, scale=scale, key=k),
        )
        distribution(
            f"{dtype}/many",
            "laplace",
            {"shape": [257], "dtype": dtype, "loc": 0.0, "scale": 1.0},
            [],
            lambda k: r.laplace([257], dtype=kind, key=k),
        )
        distribution(
            f"{dtype}/loc_scale",
            "laplace",
            {**attrs, "loc": 0.75, "scale": 2.5},
            [],
            lambda k: r.laplace(shape, dtype=kind, loc=0.75, scale=2.5, key=k),
        )
        distribution(
            f"{dtype}/many",
            "gumbel",
            {"shape": [257], "dtype": dtype},
            [],
            lambda k: r.gumbel([257], dtype=kind, key=k),
        )
        distribution(
            f"{dtype}/many",
            "truncated_normal",
            {"shape": [257], "dtype": dtype},
            [mx.array(-1.0), mx.array(2.0)],
            lambda k, lo, hi: r.truncated_normal(lo, hi, [257], dtype=kind, key=k),
        )
        distribution(
            f"{dtype}/p",
            "bernoulli",
            {"shape": [7, 6]},
            [mx.array([0.5, NAN, 0.0, 1.0, 2.0, -1.0]).astype(kind)],
            lambda k, p: r.bernoulli(p, [7, 6], key=k),
            exact=True,
        )
        distribution(
            f"{dtype}/axis",
            "categorical",
            {"axis": -1},
            [normal((9, 17), dtype)],
            lambda k, x: r.categorical(x, -1, key=k),
            exact=True,
        )
    distribution(
        "f32/many",
        "normal",
        {"shape": [2000], "dtype": "f32", "loc": 0.0, "scale": 1.0},
        [],
        lambda k: r.normal([2000], key=k),
    )
    distribution(
        "complex",
        "normal",
        {"shape": [3, 5], "dtype": "c64"},
        [mx.array([1 + 2j]), mx.array([[2.0], [0.5j], [-1.0]])],
        lambda k, loc, scale: r.normal([3, 5], dtype=mx.complex64, loc=loc, scale=scale, key=k),
    )
    distribution(
        "bounds",
        "truncated_normal",
        {"dtype": "f32"},
        [mx.array([[-1.0], [0.0], [2.0]]), mx.array([-0.5, 1.0, INF])],
        lambda k, lo, hi: r.truncated_normal(lo, hi, key=k),
    )
    for shape in ([], [0], [2, 0, 3], [1, 2, 1, 2, 1, 2, 1, 2]):
        label = "x".join(map(str, shape)) or "scalar"
        distribution(
            f"shape/{label}",
            "uniform",
            {"shape": shape, "dtype": "f32"},
            [mx.array(0.0), mx.array(1.0)],
            lambda k, lo, hi: r.uniform(lo, hi, shape, key=k),
            exact=True,
        )
    for dtype in ("bool", *INTEGERS):
        low, high = (0, 2) if dtype == "bool" else (3, 100)
        distribution(
            dtype,
            "randint",
            {"shape": [129], "dtype": dtype},
            [mx.array(low), mx.array(high)],
            lambda k, lo, hi: r.randint(lo, hi, [129], dtype=DTYPES[dtype], key=k),
            exact=True,
        )
    for label, low, high, dtype in (
        ("negative", [0, -5, 7], [[5], [9]], "i32"),
        ("empty_range", 10, 5, "i32"),
        ("float_bounds", 0.5, 3.5, "i32"),
        ("past_f32", 16777216, 16777220, "i32"),
        ("top", 2**31 - 100, 2**31 - 1, "i32"),
        ("wide", -(2**31), 2**31 - 1, "i32"),
        ("past_2_40", 2**40, 2**40 + 7, "i64"),
        ("narrow", 0, 200, "i8"),
    ):
        distribution(
            label,
            "randint",
            {"shape": [2, 3], "dtype": dtype},
            [mx.array(low), mx.array(high)],
            lambda k, lo, hi: r.randint(lo, hi, [2, 3], dtype=DTYPES[dtype], key=k),
            exact=True,
        )
    for n in (0, 1, 7, 65):
        distribution(
            f"{n}", "permutation", {"n": n}, [], lambda k: r.permutation(n, key=k), exact=True
        )
    for axis in (0, -1):
        distribution(
            f"axis/{axis}",
            "permutation",
            {"axis": axis},
            [normal((9, 8))],
            lambda k, x: r.permutation(x, axis, key=k),
            exact=True,
        )
    logits = normal((3, 4, 5))
    for axis in (0, 1, -1):
        distribution(
            f"samples/{axis}",
            "categorical",
            {"axis": axis, "num_samples": 7},
            [logits],
            lambda k, x: r.categorical(x, axis, num_samples=7, key=k),
            exact=True,
        )
    for axis, shape in ((2, [2, 3, 4]), (0, [4, 5]), (1, [6, 3, 5])):
        distribution(
            f"shape/{axis}",
            "categorical",
            {"axis": axis, "shape": shape},
            [logits],
            lambda k, x: r.categorical(x, axis, shape, key=k),
            exact=True,
        )
    distribution(
        "inf",
        "categorical",
        {"axis": -1},
        [mx.array([[-INF, 0.0, -INF], [0.0, INF, 1.0]])],
        lambda k, x: r.categorical(x, key=k),
        exact=True,
    )
    distribution("error/axis", "categorical", {"axis": 3}, [logits], lambda k, x: r.categorical(x, 3, key=k))
    distribution(
        "error/shape",
        "categorical",
        {"axis": 2, "shape": [3, 5]},
        [logits],
        lambda k, x: r.categorical(x, 2, [3, 5], key=k),
    )
    distribution(
        "error/scalar", "categorical", {"axis": -1}, [mx.array(1.0)], lambda k, x: r.categorical(x, key=k)
    )
    distribution(
        "error/dtype",
        "uniform",
        {"shape": [3], "dtype": "i32"},
        [mx.array(0), mx.array(1)],
        lambda k, lo, hi: r.uniform(lo, hi, [3], dtype=mx.int32, key=k),
    )
    distribution(
        "error/shape",
        "uniform",
        {"shape": [2], "dtype": "f32"},
        [mx.zeros((3,)), mx.array(1.0)],
        lambda k, lo, hi: r.uniform(lo, hi, [2], key=k),
    )
    distribution(
        "error/negative",
        "uniform",
        {"shape": [-2], "dtype": "f32"},
        [mx.array(0.0), mx.array(1.0)],
        lambda k, lo, hi: r.uniform(lo, hi, [-2], key=k),
    )
    distribution(
        "error/dtype",
        "normal",
        {"shape": [2], "dtype": "i32", "loc": 0.0, "scale": 1.0},
        [],
        lambda k: r.normal([2], dtype=mx.int32, key=k),
    )
    distribution(
        "error/dtype",
        "randint",
        {"shape": [2], "dtype": "f32"},
        [mx.array(0), mx.array(3)],
        lambda k, lo, hi: r.randint(lo, hi, [2], dtype=mx.float32, key=k),
    )
    distribution(
        "error/dtype", "bernoulli", {"shape": [2]}, [mx.array(1)], lambda k, p: r.bernoulli(p, [2], key=k)
    )
    distribution(
        "error/shape",
        "bernoulli",
        {"shape": [2]},
        [mx.array([0.5, 0.5, 0.5])],
        lambda k, p: r.bernoulli(p, [2], key=k),
    )


def refusing(function):
    """With MLX's RuntimeError, which it throws for a wrong dtype here, as what case() knows."""

    def call(*inputs):
        try:
            return function(*inputs)
        except RuntimeError as error:
            raise ValueError(str(error)) from error

    return call


def bitwise():
    edges = lambda d: np.array(
        [0, 1, 2, 5, 2 ** (8 * np.dtype(d).itemsize - 2), np.iinfo(d).max, np.iinfo(d).min], d
    )
    names = {"u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"}
    names |= {"i" + k[1:]: v[1:] for k, v in names.items()}
    for op in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
        function = refusing(getattr(mx, op))
        for dtype in INTEGERS:
            x = mx.array(edges(names[dtype]))
            shift = "shift" in op
            last = 8 * x.itemsize - 1
            y = mx.array([0, 1, 3, last, last - 1]).astype(DTYPES[dtype]) if shift else x
            case(f"{op}/{dtype}", op, [x[:, None], y[None, :]], {}, function, exact=True)
            for n in (1, 17, 33, 129):
                a = ints((n,), dtype, low=0, high=100)
                b = ints((n,), dtype, low=0, high=last + 1 if shift else 100)
                case(f"{op}/{dtype}/{n}", op, [a, b], {}, function, exact=True)
        case(f"{op}/bool", op, [bools((15,)), bools((15,))], {}, function, exact=True)
        for a, b in (("u8", "i8"), ("u32", "i32"), ("bool", "i16"), ("u16", "u8"), ("i64", "bool")):
            case(
                f"{op}/{a}_{b}",
                op,
                [ints((5, 1), a, 0, 2), ints((1, 3), b, 0, 2)],
                {},
                function,
                exact=True,
            )
        for a, b in (("f32", "i32"), ("bool", "f16"), ("u64", "i32")):
            case(
                f"{op}/error/{a}_{b}",
                op,
                [mx.array([1, 0]).astype(DTYPES[a]), mx.array([1, 1]).astype(DTYPES[b])],
                {},
                function,
            )
        case(f"{op}/error/shape", op, [ints((3,)), ints((4,))], {}, function)
        case(f"{op}/i32/empty", op, [ints((0, 3)), ints((3,))], {}, function, exact=True)
        case(
            f"{op}/u8/scalar",
            op,
            [ints((9,), "u8", 0, 200)],
            {"scalar": 3},
            lambda x: function(x, 3),
            exact=True,
        )
    for dtype in INTEGERS:
        case(
            f"bitwise_invert/{dtype}",
            "bitwise_invert",
            [mx.array(edges(names[dtype]))],
            {},
            mx.bitwise_invert,
            exact=True,
        )
    case("bitwise_invert/bool", "bitwise_invert", [bools((17,))], {}, mx.bitwise_invert, exact=True)
    case("bitwise_invert/error", "bitwise_invert", [normal((3,))], {}, refusing(mx.bitwise_invert))


def inverses():
    """erfinv and log1p, which the distributions are made of."""
    values = [0.0, -0.0, 1e-30, -1e-7, 1e-4, 0.25, -0.5, 0.75, 0.9, -0.99, 0.9999, 1 - 2.0**-24]
    x = mx.array([*values, 1.0, -1.0, 1.5, INF, -INF, NAN])
    for dtype, kind in FLOATS.items():
        for op in ("erfinv", "log1p"):
            function = getattr(mx, op)
            case(f"{op}/{dtype}/special", op, [x.astype(kind)], {}, function, via=True)
            for n in (1, 8, 33, 129):
                values = mx.array(np.linspace(-0.999, 0.999, n, dtype=np.float32)).astype(kind)
                case(f"{op}/{dtype}/{n}", op, [values], {}, function, via=True)
    case("erfinv/i32", "erfinv", [mx.array([0, 1, -1])], {}, mx.erfinv)
    case("log1p/i32", "log1p", [mx.array([0, 1, 100])], {}, mx.log1p)
    case("log1p/f32/large", "log1p", [mx.array([1e-9, 1e9, 3e38, math.e])], {}, mx.log1p)


def main():
    random_bits()
    distributions()
    bitwise()
    inverses()
    write("random", "mlx_random.py")


if __name__ == "__main__":
    main()
