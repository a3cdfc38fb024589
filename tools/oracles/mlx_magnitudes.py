#!/usr/bin/env python3
"""Goldens of huge, tiny and denormal numbers, from Python MLX (CPU): tests/goldens/ops/magnitudes.json and
.safetensors.

mlx_cases.py explains the format. 17 of each dtype's numbers, so that a vector and a tail meet them.

Rerun: python tools/oracles/mlx_magnitudes.py
"""

import mlx.core as mx
from mlx_cases import DTYPES, FLOATS, case, write

LARGE = {"f32": 3.4028234e38, "f16": 65504.0, "bf16": 3.3895314e38}
NORMAL = {"f32": 2.0**-126, "f16": 2.0**-14, "bf16": 2.0**-126}  # the least normal number
STEP = {"f32": 2.0**-149, "f16": 2.0**-24, "bf16": 2.0**-133}  # the least number


def numbers(dtype):
    large, normal, step = LARGE[dtype], NORMAL[dtype], STEP[dtype]
    positive = [large, large / 2, large**0.5, 1.0, normal**0.5, 2 * normal, normal, normal / 2, 3 * step, step]
    values = positive[:9] + [-x for x in positive[:7]] + [step]
    return mx.array(values, mx.float32).astype(DTYPES[dtype])


MOVES = ("negative", "abs", "floor", "ceil", "square", "sqrt", "reciprocal", "sign")
CURVES = ("exp", "log", "log1p", "expm1", "tanh", "sigmoid", "erf", "rsqrt")
for dtype in FLOATS:
    x = numbers(dtype)
    for op in MOVES:
        case(f"{op}/{dtype}/magnitudes", op, [x], {}, getattr(mx, op), exact=op in ("negative", "abs", "floor", "ceil", "sign"), via=op in ("square", "sqrt", "reciprocal"))
    for op in CURVES:
        case(f"{op}/{dtype}/magnitudes", op, [x], {}, getattr(mx, op), via=True)
    for op in ("add", "subtract", "multiply", "divide"):
        case(f"{op}/{dtype}/magnitudes", op, [x[:, None], x[None, :]], {}, getattr(mx, op), via=True)
    for op in ("maximum", "minimum", "less", "equal"):
        case(f"{op}/{dtype}/magnitudes", op, [x[:, None], x[None, :]], {}, getattr(mx, op), exact=True)
    for op in ("max", "min"):
        case(f"{op}/{dtype}/magnitudes", op, [x[None]], {"axes": [1], "keepdims": False}, lambda a, op=op: getattr(mx, op)(a, axis=1), exact=True)
    for op in ("argmax", "argmin"):
        case(f"{op}/{dtype}/magnitudes", op, [x[None]], {"axis": 1, "keepdims": False}, lambda a, op=op: getattr(mx, op)(a, axis=1), exact=True)
    for op in ("sort", "argsort"):
        case(f"{op}/{dtype}/magnitudes", op, [x], {"axis": 0}, lambda a, op=op: getattr(mx, op)(a, axis=0), exact=True)
    for other in FLOATS:
        case(f"astype/{dtype}/{other}/magnitudes", "astype", [x], {"dtype": other}, lambda a, other=other: a.astype(DTYPES[other]), exact=True)
    tiny = mx.array([STEP[dtype] * k for k in (1, 2, 3, 5, -7, 9, 11, -1, 1)], mx.float32).astype(DTYPES[dtype])
    case(f"sum/{dtype}/denormals", "sum", [tiny], {"axes": None, "keepdims": False}, mx.sum, exact=True)
    rows = mx.stack([x[:8], -x[:8], tiny[:8]])
    case(f"softmax/{dtype}/magnitudes", "softmax", [rows], {"axes": [-1], "precise": True}, lambda a: mx.softmax(a, axis=-1, precise=True), via=True)
    case(f"logsumexp/{dtype}/magnitudes", "logsumexp", [rows], {"axes": [-1], "keepdims": False}, lambda a: mx.logsumexp(a, axis=-1), via=True)
    small = mx.array([[NORMAL[dtype] ** 0.5] * 8, [LARGE[dtype] ** 0.25] * 8], mx.float32).astype(DTYPES[dtype])
    case(f"matmul/{dtype}/magnitudes", "matmul", [small, small.T], {}, mx.matmul, via=True)

write("magnitudes", "mlx_magnitudes.py")
