#!/usr/bin/env python3
"""Goldens of pooling and upsampling from Python MLX (CPU): tests/goldens/ops/pool.json and .safetensors.

mlx_cases.py explains the format. mean_pool is the masked mean of sentence embedders, made of MLX's
where, sum and divide in float32.

Rerun: python tools/oracles/mlx_pool.py
"""

import mlx.core as mx
import mlx.nn as nn
from mlx_cases import FLOATS, INF, NAN, bools, case, draw, ints, normal, shape_name, write


def mean_pool(label, x, mask):
    def compute(x, mask):
        keep = (mask != 0)[:, :, None]
        total = mx.where(keep, x.astype(mx.float32), 0.0).sum(axis=1)
        return (total / mx.maximum(keep.astype(mx.float32).sum(axis=1), 1.0)).astype(x.dtype)

    case(f"mean_pool/{label}", "mean_pool", [x, mask], {}, compute, via=True)


for dtype in FLOATS:
    for width in (1, 7, 8, 9, 15, 17, 31, 33, 65, 129, 257):
        mean_pool(f"{dtype}/{width}", normal((2, 9, width), dtype, shift=0.5), bools((2, 9), 0.7))
    mask = bools((3, 33), 0.5)
    mask[1] = False
    mean_pool(f"{dtype}/empty_row", normal((3, 33, 5), dtype), mask)
    x = normal((2, 3, 4), dtype)
    x[0, 1, 2], x[1, 2, 0] = NAN, INF
    mean_pool(f"{dtype}/masked_nan", x, mx.array([[True, False, True], [True, True, False]]))
    mean_pool(f"{dtype}/kept_nan", x, mx.array([[True, True, True], [False, False, True]]))
for dtype in ("i32", "i64", "u8"):
    mean_pool(f"f32/{dtype}_mask", normal((3, 7, 5)), ints((3, 7), dtype, low=0, high=2))
for shape in ((0, 3, 4), (2, 0, 4), (2, 3, 0)):
    mean_pool(f"f32/{shape_name(shape)}", mx.zeros(shape), mx.ones(shape[:2], mx.bool_))


def pool(kind, rank, label, x, kernel, stride=None, padding=0):
    layer = getattr(nn, f"{kind}Pool{rank}d")
    op = f"{kind.lower()}_pool{rank}d"
    attrs = {"kernel_size": kernel, "stride": stride, "padding": padding}
    case(f"{op}/{label}", op, [x], attrs, lambda x: layer(kernel, stride, padding)(x), exact=kind == "Max",
         via=kind == "Avg")


for kind in ("Max", "Avg"):
    for dtype in (*FLOATS, "i32", "u8", "i8", "bool"):
        pool(kind, 1, f"{dtype}/plain", draw((2, 8, 5), dtype), 2)
        if kind == "Max" and dtype in ("u8", "i8", "bool"):
            continue  # MLX pads these with -inf cast to the dtype, which is not its least value
        pool(kind, 1, f"{dtype}/padded", draw((2, 9, 3), dtype), 3, 2, 1)
        pool(kind, 2, f"{dtype}/padded", draw((2, 7, 9, 3), dtype), [3, 2], [2, 1], [1, 1])
        pool(kind, 3, f"{dtype}/padded", draw((1, 4, 5, 6, 2), dtype), [2, 3, 2], [1, 2, 3], [1, 0, 1])
    for channels in (1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 129):
        pool(kind, 1, f"f32/{channels}", normal((1, 7, channels)), 3, 2)
    pool(kind, 2, "f32/whole_rows", normal((2, 6, 4, 5)), [2, 4])
    pool(kind, 2, "f32/stride_past_kernel", normal((1, 9, 9, 2)), 2, 3)
    pool(kind, 2, "f32/overlapping", normal((2, 8, 8, 3)), 3, 1)
    pool(kind, 2, "f32/padding_past_kernel", normal((1, 3, 3, 2)), 2, 2, 3)
    pool(kind, 3, "f32/plain", normal((2, 4, 4, 4, 3)), 2)
    pool(kind, 1, "f32/special", mx.array([1.0, NAN, 2.0, 3.0, INF, -INF, 0.0, -1.0]).reshape(1, 8, 1), 2, 1)
    for shape in ((0, 4, 2), (1, 4, 0)):
        pool(kind, 1, f"f32/{shape_name(shape)}", mx.zeros(shape), 2)
    pool(kind, 1, "f32/1x0x2_padded", mx.zeros((1, 0, 2)), 2, 2, 1)
    pool(kind, 2, "error/rank", normal((1, 4, 2)), 2)
    pool(kind, 2, "error/stride", normal((1, 4, 4, 2)), 2, 0)
    pool(kind, 2, "error/kernel", normal((1, 4, 4, 2)), 0)
    pool(kind, 2, "error/padding", normal((1, 4, 4, 2)), 2, 2, -1)
    pool(kind, 1, "error/window", normal((1, 4, 2)), 6, 1)


def upsample(mode, label, x, scale, align_corners=False, antialias=False):
    attrs = {"scale_factor": scale, "align_corners": align_corners, "antialias": antialias}
    layer = nn.Upsample(tuple(scale), mode, align_corners, antialias)
    case(f"upsample_{mode}/{label}", f"upsample_{mode}", [x], attrs, layer, exact=mode == "nearest")


SCALES = ([2.0, 2.0], [1.0, 3.0], [1.5, 2.5], [0.5, 0.25], [0.7, 1.3])
for mode in ("nearest", "linear", "cubic"):
    for dtype in (*FLOATS, "i32", "u8", "bool"):
        upsample(mode, f"{dtype}/1d", draw((2, 7, 3), dtype), [1.5])
    corners = (False,) if mode == "nearest" else (False, True)
    for align in corners:
        for scale in SCALES:
            label = "x".join(map(str, scale)) + ("/corners" if align else "")
            upsample(mode, f"f32/{label}", normal((1, 5, 8, 3)), scale, align)
        end = "/corners" if align else ""
        for length in (1, 2, 7, 8, 9, 15, 17, 31, 33):
            if mode == "cubic" and align and length == 17:
                continue  # floor(15.999999 + 1) is 17 in float32: MLX leaves out the nearest element
            upsample(mode, f"f32/{length}{end}", normal((1, length, 2)), [2.5], align)
        upsample(mode, f"f32/3d{end}", normal((1, 3, 2, 4, 2)), [2.0, 1.5, 0.5], align)
        upsample(mode, f"f32/one_left{end}", normal((1, 4, 2)), [0.25], align)
    if mode != "nearest":
        for scale in SCALES:
            upsample(mode, f"f32/antialias/{'x'.join(map(str, scale))}", normal((1, 8, 9, 2)), scale, antialias=True)
        upsample(mode, "f32/none_left", normal((1, 4, 2)), [0.125])
    upsample(mode, "f32/no_batch", mx.zeros((0, 3, 2)), [2.0])
    upsample(mode, "f32/no_channels", mx.zeros((1, 3, 0)), [2.0])
    upsample(mode, "f32/nothing", mx.zeros((1, 0, 2)), [2.0])
    upsample(mode, "error/rank", normal((3, 2)), [])
    upsample(mode, "error/scales", normal((1, 3, 2)), [2.0, 2.0])

write("pool", "mlx_pool.py")
