#!/usr/bin/env python3
"""Goldens of quantising in groups, expanding, and multiplying with quantised weights, from MLX.

Writes tests/goldens/ops/quantized.json and .safetensors; mlx_cases.py explains the format. Weight
inputs are MLX's arrays: codes, scales, biases (null in the fp modes). "x_transposed": the first
input is given with its last two axes swapped, so that it arrives without being contiguous.
"""

import mlx.core as mx
import numpy as np

from mlx_cases import DTYPES, INF, NAN, RNG, case, ints, normal, shape_name, write

HALVES = ("f16", "bf16")
FLOATS = ("f32",) + HALVES
BITS = (1, 2, 3, 4, 5, 6, 8)
FP = {"mxfp4": (32, 4), "mxfp8": (32, 8), "nvfp4": (16, 4)}


def parameters(group_size, bits, mode="affine"):
    return dict(group_size=group_size, bits=bits, mode=mode)


def quantized(w, p):
    parts = mx.quantize(w, **p)
    return parts if len(parts) == 3 else [*parts, None]


def case_quantize(name, w, p, **how):
    case(f"quantize/{name}", "quantize", [w], p, lambda w: mx.quantize(w, **p), exact=True, **how)


def case_dequantize(name, parts, p, dtype=None, **how):
    attrs = dict(p, dtype=dtype)
    wanted = DTYPES[dtype] if dtype else None
    case(
        f"dequantize/{name}",
        "dequantize",
        parts,
        attrs,
        lambda w, s, b: mx.dequantize(w, s, b, dtype=wanted, **p),
        exact=True,
        **how,
    )


def case_matmul(name, x, parts, p, transpose=True, x_transposed=False, **how):
    attrs = dict(p, transpose=transpose, x_transposed=x_transposed)
    turn = (lambda x: mx.swapaxes(x, -1, -2)) if x_transposed else (lambda x: x)
    case(
        f"quantized_matmul/{name}",
        "quantized_matmul",
        [x, *parts],
        attrs,
        lambda x, w, s, b: mx.quantized_matmul(turn(x), w, s, b, transpose=transpose, **p),
        via=True,
        **how,
    )


def case_gather(name, x, parts, p, lhs, rhs, transpose=True, **how):
    attrs = dict(p, transpose=transpose)
    case(
        f"gather_qmm/{name}",
        "gather_qmm",
        [x, *parts, lhs, rhs],
        attrs,
        lambda x, w, s, b, l, r: mx.gather_qmm(
            x, w, s, b, lhs_indices=l, rhs_indices=r, transpose=transpose, **p
        ),
        via=True,
        **how,
    )


def case_gather_mm(name, a, b, lhs, rhs, **how):
    def compute(a, b, l, r):
        # MLX's gather_mm is float32 alone on a CPU.
        if a.dtype in (mx.float16, mx.bfloat16):
            wide = [i.astype(mx.float32) for i in (a, b)]
            return mx.gather_mm(*wide, lhs_indices=l, rhs_indices=r).astype((a @ b[0]).dtype)
        return mx.gather_mm(a, b, lhs_indices=l, rhs_indices=r)

    case(f"gather_mm/{name}", "gather_mm", [a, b, lhs, rhs], {}, compute, **how)


# --- Quantise and expand: every width, group size and dtype ---

weights = {d: normal((3, 128), d) for d in FLOATS}
for dtype, w in weights.items():
    for bits in BITS:
        for group_size in (32, 64, 128):
            p = parameters(group_size, bits)
            name = f"{bits}_bits_of_{group_size}/{dtype}"
            case_quantize(name, w, p)
            case_dequantize(name, quantized(w, p), p)
for mode, (group_size, bits) in FP.items():
    p = parameters(group_size, bits, mode)
    for dtype in FLOATS:
        # groups from tiny to large, so that exponents vary
        scales = 2.0 ** np.arange(-12, 12, 2).reshape(12, 1)
        w = mx.array((RNG.standard_normal((12, 64)) * scales).astype(np.float32))
        w = w.astype(DTYPES[dtype])
        case_quantize(f"{mode}/{dtype}", w, p)
        case_dequantize(f"{mode}/{dtype}", quantized(w, p), p, dtype)
    case_dequantize(f"{mode}/default", quantized(weights["f32"], p), p)
    bytes_ = mx.arange(256, dtype=mx.uint32)
    all_codes = mx.sum(
        mx.reshape(bytes_, (2, 32, 4)) * mx.array([1, 256, 65536, 1 << 24], mx.uint32), -1
    )
    groups = all_codes.shape[1] * 32 // bits // group_size
    for dtype in FLOATS:
        for scale in (0, 1, 120, 135, 255) if dtype == "f32" else (0, 120, 255):
            s = mx.full((2, groups), scale, dtype=mx.uint8)
            case_dequantize(
                f"{mode}/all_codes_scale_{scale}/{dtype}", [all_codes, s, None], p, dtype
            )
for dtype in FLOATS:
    p = parameters(64, 4)
    for to in FLOATS:
        if to != dtype:
            case_dequantize(f"{dtype}_to_{to}", quantized(weights[dtype], p), p, to)
    case_quantize(f"batch/{dtype}", normal((2, 1, 3, 64), dtype), p)
    case_dequantize(f"batch/{dtype}", quantized(normal((2, 1, 3, 64), dtype), p), p)


def special_groups(dtype):
    """Rows of 64: zeros, constants, one sign, an outlier, tiny, large, -0, two values, ties."""
    top = 6e4 if dtype == "f16" else 1e30
    tiny = 6e-8 if dtype == "f16" else 1e-39
    rows = [
        np.zeros(64),
        np.full(64, 0.7),
        np.full(64, -3.0),
        -np.abs(RNG.standard_normal(64)) - 1,
        np.abs(RNG.standard_normal(64)) + 5,
        np.where(np.arange(64) == 17, 100.0, 0.01),
        RNG.standard_normal(64) * tiny,
        RNG.standard_normal(64) / 4 * top,
        np.where(np.arange(64) % 2 == 0, -0.0, 0.0),
        np.where(np.arange(64) % 3 == 0, -1.0, 1.0),
        np.arange(64) / 8.0,
        np.arange(64) - 63.0,
    ]
    return mx.array(np.array(rows, np.float32)).astype(DTYPES[dtype])


for dtype in FLOATS:
    w = special_groups(dtype)
    for bits in (1, 3, 4, 8) if dtype in HALVES else BITS:
        p = parameters(64, bits)
        case_quantize(f"special/{bits}_bits/{dtype}", w, p)
        if bits in (1, 3, 8):
            case_dequantize(f"special/{bits}_bits/{dtype}", quantized(w, p), p)
    for mode, (group_size, bits) in FP.items():
        # MLX's exponents wrap for tiny groups; its nvfp4 gives 0 for what is far past the largest.
        left_out = (6, 7) if mode == "nvfp4" else (6,)
        rows = [i for i in range(w.shape[0]) if i not in left_out]
        case_quantize(
            f"special/{mode}/{dtype}", w[mx.array(rows)], parameters(group_size, bits, mode)
        )
odd = np.array(normal((2, 64)))
odd[0, 3], odd[1, 40] = NAN, INF
for bits in (3, 4):
    case_quantize(f"nan_and_inf/{bits}_bits", mx.array(odd), parameters(32, bits))
ties = np.zeros((1, 32), np.float32)
ties[0, :17] = [
    6, 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5, -0.1, -0.25, -0.3, -0.75, -0.0, 0.26, -5, -5.1, -1.25
]
for mode, (group_size, bits) in FP.items():
    case_quantize(f"ties/{mode}", mx.array(ties), parameters(group_size, bits, mode))

for name, w, p in [
    ("7_bits", weights["f32"], parameters(64, 7)),
    ("9_bits", weights["f32"], parameters(64, 9)),
    ("0_bits", weights["f32"], parameters(64, 0)),
    ("groups_of_48", normal((2, 96)), parameters(48, 4)),
    ("groups_do_not_divide", normal((2, 96)), parameters(64, 4)),
    ("vector", normal((64,)), parameters(64, 4)),
    ("integers", ints((2, 64)), parameters(64, 4)),
    ("unknown_mode", weights["f32"], parameters(64, 4, "ternary")),
    ("mxfp4_of_16", weights["f32"], parameters(16, 4, "mxfp4")),
    ("mxfp8_with_4_bits", weights["f32"], parameters(32, 4, "mxfp8")),
    ("nvfp4_of_32", weights["f32"], parameters(32, 4, "nvfp4")),
]:
    case_quantize(f"error/{name}", w, p)
good = parameters(64, 4)
codes, scales, biases = quantized(weights["f32"], good)
mx_codes, mx_scales, _ = quantized(weights["f32"], parameters(32, 4, "mxfp4"))
for name, parts, p in [
    ("no_biases", [codes, scales, None], good),
    ("biases_in_mxfp4", [mx_codes, mx_scales, biases], parameters(32, 4, "mxfp4")),
    ("codes_int32", [codes.astype(mx.int32), scales, biases], good),
    ("scales_int32", [codes, scales.astype(mx.int32), biases.astype(mx.int32)], good),
    ("scales_of_other_rows", [codes, scales[:2], biases[:2]], good),
    ("biases_of_other_shape", [codes, scales, biases[:, :2]], good),
    ("other_bits", [codes, scales, biases], parameters(64, 8)),
    ("other_group_size", [codes, scales, biases], parameters(32, 4)),
    ("vector", [codes[0], scales[0], biases[0]], good),
]:
    case_dequantize(f"error/{name}", parts, p)
case_dequantize("error/to_integers", [codes, scales, biases], good, "i32")

# --- Products ---

for dtype in FLOATS:
    rows = {m: normal((m, 128), dtype) for m in (1, 2, 5, 9)}
    columns = {m: normal((m, 33), dtype) for m in (1, 5)}
    for bits in BITS:
        for group_size in (32, 64, 128):
            p = parameters(group_size, bits)
            parts = quantized(normal((7, 128), dtype, scale=0.1), p)
            m = {32: 1, 64: 2, 128: 9}[group_size]
            case_matmul(f"{bits}_bits_of_{group_size}/{m}_rows/{dtype}", rows[m], parts, p)
    for mode, (group_size, bits) in FP.items():
        p = parameters(group_size, bits, mode)
        for m in (1, 5):
            parts = quantized(normal((9, 128), dtype, scale=0.1), p)
            case_matmul(f"{mode}/{m}_rows/{dtype}", rows[m], parts, p)
        parts = quantized(normal((33, 64), dtype, scale=0.1), p)
        case_matmul(
            f"{mode}/not_transposed/{dtype}", normal((3, 33), dtype), parts, p, transpose=False
        )
    for bits in BITS:
        p = parameters(32, bits)
        parts = quantized(normal((33, 96 if dtype in HALVES else 160), dtype, scale=0.1), p)
        m = 1 if bits % 2 else 5
        case_matmul(f"not_transposed/{bits}_bits/{dtype}", columns[m], parts, p, transpose=False)
for n in (1, 2, 3, 4, 5, 8, 13, 17, 31):
    parts = quantized(normal((n, 64)), good)
    for m in (1, 2, 3, 4, 7, 33):
        if (n + m) % 2 == 0:
            case_matmul(f"sizes/{m}x64_{n}x64", normal((m, 64)), parts, good)
    p = parameters(32, 4)
    parts = quantized(normal((n, 32)), p)
    case_matmul(f"sizes/{n}x32_not_transposed", normal((2, n)), parts, p, transpose=False)
parts = quantized(normal((5, 64)), good)
batch = quantized(normal((4, 5, 64)), good)
for shape in [(64,), (2, 3, 64), (2, 1, 2, 3, 64), (1, 1, 64), (1, 1, 1, 1, 1, 1, 2, 64)]:
    case_matmul(f"x_{shape_name(shape)}", normal(shape), parts, good)
for shape in [(4, 3, 64), (2, 4, 3, 64), (1, 1, 64), (4, 1, 64)]:
    case_matmul(f"batches_{shape_name(shape)}_with_4", normal(shape), batch, good)
case_matmul("batches/not_transposed", normal((4, 3, 5)), batch, good, transpose=False)
case_matmul("batches_of_1_and_3", normal((3, 2, 64)), [a[:1] for a in batch], good)
case_matmul("x_not_contiguous", normal((64, 3)), parts, good, x_transposed=True)
case_matmul("x_not_contiguous/bf16", normal((2, 64, 3), "bf16"), parts, good, x_transposed=True)
for x_dtype, s_dtype in [("f16", "f32"), ("f32", "f16"), ("bf16", "f32"), ("i32", "f32")]:
    typed = quantized(normal((5, 64), s_dtype), good)
    x = ints((2, 64)) if x_dtype == "i32" else normal((2, 64), x_dtype)
    case_matmul(f"{x_dtype}_with_{s_dtype}", x, typed, good)
bad_rows = np.array(normal((5, 64)))
bad_rows[1, 7], bad_rows[2, 9], bad_rows[3, 11] = NAN, INF, -INF
for dtype in FLOATS:
    x = mx.array(bad_rows).astype(DTYPES[dtype])
    case_matmul(f"nan_and_inf/{dtype}", x, quantized(normal((5, 64), dtype), good), good)
case_matmul("nan_and_inf/one_row", mx.array(bad_rows[1:2]), parts, good)
case_matmul("zero_weights", normal((3, 64)), quantized(mx.zeros((5, 64)), good), good)
case_matmul("constant_weights", normal((3, 64)), quantized(mx.full((5, 64), -0.3), good), good)

codes, scales, biases = parts
x = normal((2, 64))
for name, x, w, p, transpose in [
    ("no_biases", x, [codes, scales, None], good, True),
    ("biases_in_mxfp4", x, [codes, scales, biases], parameters(32, 4, "mxfp4"), True),
    ("codes_int32", x, [codes.astype(mx.int32), scales, biases], good, True),
    ("x_too_short", normal((2, 32)), parts, good, True),
    ("x_too_short_not_transposed", normal((2, 6)), parts, good, False),
    ("biases_do_not_fit", x, [codes, scales, biases[:4]], good, True),
    ("other_bits", x, parts, parameters(64, 8), True),
    ("other_group_size", x, parts, parameters(32, 4), True),
    (
        "integers_in_mxfp4",
        ints((2, 128)),
        [mx_codes, mx_scales, None],
        parameters(32, 4, "mxfp4"),
        True,
    ),
    ("batches_differ", normal((3, 2, 64)), batch, good, True),
    ("unknown_mode", x, parts, parameters(64, 4, "ternary"), True),
]:
    case_matmul(f"error/{name}", x, w, p, transpose)

# --- Chosen matrices ---


def index(values, dtype=mx.uint32):
    return mx.array(values, dtype=dtype)


for dtype in FLOATS:
    x = normal((6, 1, 64), dtype)
    experts = quantized(normal((4, 5, 64), dtype, scale=0.1), good)
    case_gather(f"repeated/{dtype}", x, experts, good, index([0, 0, 5, 3]), index([2, 2, 2, 0]))
    case_gather(f"unsorted/{dtype}", x, experts, good, None, index([3, 1, 3, 0, 1, 3]))
    case_gather(
        f"not_transposed/{dtype}",
        normal((3, 2, 5), dtype),
        experts,
        good,
        None,
        index([3, 0, 3]),
        False,
    )
x, experts = normal((3, 2, 64)), quantized(normal((4, 5, 64)), good)
case_gather("one_of_each", x, experts, good, index([2]), index([3]))
case_gather("scalar_indices", x, experts, good, index(1), index(3))
case_gather("broadcast", x, experts, good, index([[0], [2]]), index([1, 0, 3]))
case_gather("only_lhs", normal((5, 3, 64)), experts, good, index([4, 0, 4, 1]), None)
case_gather("no_indices", normal((4, 3, 64)), experts, good, None, None)
case_gather("int32", x, experts, good, None, index([1, 0, 3], mx.int32))
case_gather("int64", x, experts, good, index([1, 1], mx.int64), index([1, 3], mx.int64))
nested = quantized(normal((2, 2, 5, 64)), good)
case_gather(
    "nested_batches", normal((3, 1, 2, 64)), nested, good, index([[2, 0]]), index([[3, 1], [0, 2]])
)
many = index(sorted(RNG.integers(0, 4, 37).tolist()))
case_gather("sorted", normal((37, 1, 64)), experts, good, None, many)
for mode, (group_size, bits) in FP.items():
    p = parameters(group_size, bits, mode)
    case_gather(
        f"{mode}", normal((3, 2, 64)), quantized(normal((4, 5, 64)), p), p, None, index([3, 0, 3])
    )
for bits in BITS:
    p = parameters(32, bits)
    case_gather(
        f"{bits}_bits",
        normal((3, 1, 64)),
        quantized(normal((4, 5, 64)), p),
        p,
        None,
        index([3, 0, 3]),
    )
case_gather("error/float_indices", x, experts, good, None, mx.array([0.0, 1.0, 2.0]))
case_gather("error/indices_do_not_broadcast", x, experts, good, index([0, 1]), index([0, 1, 2]))
case_gather("error/x_too_short", normal((3, 2, 32)), experts, good, None, index([0, 1, 2]))
case_gather("error/vector", normal((64,)), experts, good, None, index([0, 1, 2]))

for dtype in FLOATS:
    a, b = normal((6, 1, 17), dtype), normal((4, 17, 9), dtype)
    case_gather_mm(f"repeated/{dtype}", a, b, index([0, 0, 5, 3]), index([2, 2, 2, 0]))
    case_gather_mm(f"unsorted/{dtype}", a, b, None, index([3, 1, 3, 0, 1, 3]))
    case_gather_mm(f"rows/{dtype}", normal((3, 7, 17), dtype), b, None, index([3, 0, 3]))
a, b = normal((3, 2, 8)), normal((4, 8, 5))
case_gather_mm("one_of_each", a, b, index([2]), index([3]))
case_gather_mm("scalar_indices", a, b, index(1), index(3))
case_gather_mm("broadcast", a, b, index([[0], [2]]), index([1, 0, 3]))
case_gather_mm("only_lhs", normal((5, 3, 8)), b, index([4, 0, 4, 1]), None)
case_gather_mm("no_indices", normal((4, 3, 8)), b, None, None)
case_gather_mm(
    "nested_batches",
    normal((3, 1, 2, 8)),
    normal((2, 2, 8, 5)),
    index([[2, 0]]),
    index([[3, 1], [0, 2]]),
)
case_gather_mm("a_vector", normal((8,)), b, None, index([1, 0, 3]))
case_gather_mm("b_vector", a, normal((8,)), index([1, 0, 2]), None)
case_gather_mm("promoted", normal((3, 2, 8), "f16"), b, None, index([1, 0, 3]))
case_gather_mm("error/inner_sizes", a, normal((4, 9, 5)), None, index([1, 0, 3]))
case_gather_mm("error/integers", ints((3, 2, 8)), ints((4, 8, 5)), None, index([1, 0, 3]))
case_gather_mm("error/float_indices", a, b, None, mx.array([0.0, 1.0, 2.0]))

# --- float8 ---

for dtype in FLOATS:
    near = np.concatenate(
        [
            s * 2.0 ** np.arange(-12, 10)
            for s in (1, 1.0625, 1.125, 1.1875, 1.4375, 1.5625, 1.9375, -1.3125)
        ]
    )
    special = [
        0.0,
        -0.0,
        INF,
        -INF,
        NAN,
        448,
        449,
        432,
        464,
        500,
        -1e9,
        2.0**-9,
        2.0**-10,
        3 * 2.0**-10,
        1e-30,
    ]
    x = mx.array(np.concatenate([near, special]).astype(np.float32)).astype(DTYPES[dtype])
    case(f"to_fp8/{dtype}", "to_fp8", [x], {}, mx.to_fp8, exact=True)
    case(
        f"to_fp8/normal/{dtype}",
        "to_fp8",
        [normal((5, 33), dtype, scale=3)],
        {},
        mx.to_fp8,
        exact=True,
    )
    to = DTYPES[dtype]
    all_bytes = mx.arange(256).astype(mx.uint8)
    case(
        f"from_fp8/{dtype}",
        "from_fp8",
        [all_bytes],
        {"dtype": dtype},
        lambda x: mx.from_fp8(x, to),
        exact=True,
    )
case("to_fp8/error/integers", "to_fp8", [ints((3,))], {}, mx.to_fp8)
case(
    "from_fp8/error/int32",
    "from_fp8",
    [ints((3,))],
    {"dtype": "f32"},
    lambda x: mx.from_fp8(x, mx.float32),
)
case(
    "from_fp8/error/to_int32",
    "from_fp8",
    [all_bytes],
    {"dtype": "i32"},
    lambda x: mx.from_fp8(x, mx.int32),
)

# --- A scale for the whole matrix over nvfp4's own ---

p = parameters(16, 4, "nvfp4")
spread = 2.0 ** np.arange(-12, 12, 2).reshape(12, 1)
w = mx.array((RNG.standard_normal((12, 64)) * spread).astype(np.float32))
for label, global_scale in (
    ("largest", mx.max(mx.abs(w))),
    ("half_of_it", mx.max(mx.abs(w)) / 2),
    ("one", mx.array(1.0)),
    ("vector_of_one", mx.array([3.0])),
):
    case(
        f"quantize/nvfp4/global_scale/{label}",
        "quantize",
        [w, global_scale],
        p,
        lambda w, g: mx.quantize(w, global_scale=g, **p),
        exact=True,
    )
    for dtype in (None, "f32"):
        case(
            f"dequantize/nvfp4/global_scale/{label}/{dtype or 'default'}",
            "dequantize",
            [*mx.quantize(w, global_scale=global_scale, **p), None, global_scale],
            dict(p, dtype=dtype),
            lambda w, s, b, g: mx.dequantize(
                w, s, b, global_scale=g, dtype=DTYPES[dtype] if dtype else None, **p
            ),
            exact=True,
        )
for label, global_scale, q in (
    ("half", mx.array(1.0).astype(mx.float16), p),
    ("two", mx.array([1.0, 2.0]), p),
    ("mxfp4", mx.array(1.0), parameters(32, 4, "mxfp4")),
):
    case(
        f"quantize/error/global_scale/{label}",
        "quantize",
        [w, global_scale],
        q,
        lambda w, g: mx.quantize(w, global_scale=g, **q),
    )
    case(
        f"dequantize/error/global_scale/{label}",
        "dequantize",
        [*mx.quantize(w, **q), None, global_scale],
        dict(q, dtype=None),
        lambda w, s, b, g: mx.dequantize(w, s, b, global_scale=g, **q),
    )

write("quantized", "mlx_quantized.py")
