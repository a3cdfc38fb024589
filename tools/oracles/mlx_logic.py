#!/usr/bin/env python3
"""Goldens of comparisons, logic, powers and arg-reductions around vector widths, from Python MLX (CPU):
tests/goldens/ops/logic.json and .safetensors.

mlx_cases.py explains the format. Operands are small whole numbers, so that many are equal; floating ones
hold NaN, infinities and zeros of both signs as well.

Rerun: python tools/oracles/mlx_logic.py
"""

import mlx.core as mx
import numpy as np
from mlx_cases import DTYPES, FLOATS, INF, NAN, RNG, case, draw, normal, write

WIDTHS = (1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 127, 129)
TWO = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and", "logical_or")


def operand(size, dtype):
    if dtype == "bool":
        return draw((size,), dtype)
    values = RNG.integers(0 if dtype[0] == "u" else -2, 3, size).astype(np.float32)
    if dtype in FLOATS:
        odd = RNG.integers(0, 12, size)
        for k, value in enumerate((NAN, INF, -INF, -0.0)):
            values[odd == k] = value
    return mx.array(values).astype(DTYPES[dtype])


for dtype in DTYPES:
    for size in WIDTHS if dtype == "f32" else (7, 16, 17, 33, 129) if dtype in FLOATS else (17, 129):
        a, b = operand(size, dtype), operand(size, dtype)
        for op in TWO:
            case(f"{op}/{dtype}/size/{size}", op, [a, b], {}, getattr(mx, op), exact=True)
        case(f"logical_not/{dtype}/size/{size}", "logical_not", [a], {}, mx.logical_not, exact=True)
        if dtype != "bool":
            rows = mx.stack([a, b, mx.zeros_like(a)])
            for op in ("argmax", "argmin"):
                case(f"{op}/{dtype}/size/{size}", op, [rows], {"axis": 1, "keepdims": False}, lambda x, op=op: getattr(mx, op)(x, axis=1), exact=True)

for size in WIDTHS:
    for dtype in FLOATS:
        base = mx.abs(normal((size,), dtype)) + 0.25
        case(f"power/{dtype}/size/{size}", "power", [base.astype(DTYPES[dtype]), normal((size,), dtype)], {}, mx.power, via=True)
for dtype in ("u8", "i8", "i16", "i32", "i64", "u32"):
    base, exponent = operand(33, dtype), mx.abs(operand(33, dtype).astype(mx.int32)).astype(DTYPES[dtype])
    case(f"power/{dtype}/size/33", "power", [base, exponent], {}, mx.power, exact=True)

write("logic", "mlx_logic.py")
