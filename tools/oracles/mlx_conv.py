#!/usr/bin/env python3
"""Goldens of convolutions and group normalisation from Python MLX (CPU): tests/goldens/ops/conv.json
and .safetensors.

mlx_cases.py explains the format.

Rerun: python tools/oracles/mlx_conv.py
"""

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx_cases import FLOATS, INF, NAN, case, ints, normal, shape_name, write


def conv(label, x, w, *, stride=None, low=None, high=None, kernel_dilation=None, input_dilation=None,
         groups=1, flip=False):
    axes = x.ndim - 2
    each = lambda value, missing: [missing] * axes if value is None else value
    stride, kernel_dilation = each(stride, 1), each(kernel_dilation, 1)
    low, input_dilation = each(low, 0), each(input_dilation, 1)
    high = low if high is None else high
    attrs = {
        "stride": stride,
        "padding": [low, high],
        "kernel_dilation": kernel_dilation,
        "input_dilation": input_dilation,
        "groups": groups,
        "flip": flip,
    }
    case(
        f"conv_general/{label}",
        "conv_general",
        [x, w],
        attrs,
        lambda x, w: mx.conv_general(
            x, w, stride, (low, high), kernel_dilation, input_dilation, groups, flip
        ),
        via=True,
    )


def named(label, op, x, w, attrs):
    function = getattr(mx, op)
    pair = lambda v: tuple(v) if isinstance(v, list) else v
    case(
        f"{op}/{label}",
        op,
        [x, w],
        attrs,
        lambda x, w: function(x, w, **{k: pair(v) for k, v in attrs.items()}),
        via=True,
    )


def general():
    for dtype in FLOATS:
        for channels in (1, 2, 7, 8, 9, 17, 33):
            for outputs in (1, 3, 8, 16, 17):
                conv(
                    f"{dtype}/1d/{channels}_{outputs}",
                    normal((2, 6, channels), dtype),
                    normal((outputs, 3, channels), dtype),
                    low=[1],
                )
        for label, x, w, how in (
            ("plain", (2, 7, 6, 3), (5, 3, 2, 3), {}),
            ("same", (1, 9, 9, 4), (4, 3, 3, 4), {"low": [1, 1]}),
            ("stride", (1, 9, 8, 5), (6, 3, 3, 5), {"stride": [2, 3], "low": [1, 0]}),
            ("stride_past_kernel", (1, 11, 9, 2), (3, 2, 1, 2), {"stride": [4, 3]}),
            ("uneven_padding", (1, 5, 6, 3), (4, 3, 3, 3), {"low": [0, 2], "high": [2, 1]}),
            ("padding_past_kernel", (1, 2, 3, 2), (2, 2, 2, 2), {"low": [3, 4]}),
            ("kernel_dilation", (1, 9, 8, 3), (4, 3, 2, 3), {"kernel_dilation": [2, 3], "low": [1, 1]}),
            ("input_dilation", (1, 4, 3, 3), (4, 3, 2, 3), {"input_dilation": [2, 3], "low": [1, 2]}),
            ("flip", (2, 5, 6, 3), (4, 2, 3, 3), {"flip": True, "low": [1, 0]}),
            ("pointwise", (2, 5, 3, 9), (7, 1, 1, 9), {}),
            ("pointwise_stride", (2, 5, 4, 9), (7, 1, 1, 9), {"stride": [2, 2]}),
            ("whole_input", (3, 4, 5, 2), (6, 4, 5, 2), {}),
            ("groups", (2, 5, 4, 6), (9, 2, 3, 2), {"groups": 3, "low": [1, 1]}),
            ("groups_pointwise", (2, 3, 4, 6), (4, 1, 1, 3), {"groups": 2}),
            ("depthwise", (2, 6, 5, 17), (17, 3, 3, 1), {"groups": 17, "low": [1, 1]}),
            ("depthwise_double", (1, 5, 5, 4), (8, 3, 2, 1), {"groups": 4, "stride": [2, 1]}),
            ("groups_to_one", (1, 5, 5, 8), (4, 3, 3, 2), {"groups": 4, "flip": True}),
            ("one_channel", (1, 8, 8, 1), (9, 3, 3, 1), {"low": [1, 1]}),
            (
                "everything",
                (2, 5, 6, 4),
                (6, 2, 3, 2),
                {
                    "stride": [2, 1],
                    "low": [1, 3],
                    "high": [2, 0],
                    "kernel_dilation": [2, 1],
                    "input_dilation": [1, 2],
                    "groups": 2,
                    "flip": True,
                },
            ),
        ):
            conv(f"{dtype}/2d/{label}", normal(x, dtype), normal(w, dtype), **how)
        conv(f"{dtype}/3d", normal((1, 4, 5, 4, 3), dtype), normal((5, 2, 3, 2, 3), dtype))
        conv(
            f"{dtype}/3d/all",
            normal((2, 3, 4, 5, 4), dtype),
            normal((6, 2, 2, 3, 4), dtype),
            stride=[1, 2, 2],
            low=[1, 0, 2],
            kernel_dilation=[1, 2, 1],
            input_dilation=[2, 1, 1],
            flip=True,
        )
    conv("f32/deep", normal((1, 12, 130)), normal((20, 5, 130)), low=[2])
    conv("f32/long", normal((1, 700, 2)), normal((3, 400, 2)), stride=[160])
    conv("f32/negative_padding", normal((1, 8, 7, 2)), normal((3, 2, 2, 2)), low=[-2, 1], high=[1, -3])
    conv("f16_f32", normal((1, 6, 3), "f16"), normal((2, 3, 3)))
    conv("f16_bf16", normal((1, 6, 3), "f16"), normal((2, 3, 3), "bf16"))
    conv("f32/batch_0", mx.zeros((0, 5, 3)), normal((2, 3, 3)))
    conv("f32/length_0", mx.zeros((1, 0, 3)), normal((2, 2, 3)), low=[1])
    bad = np.array(normal((1, 9, 2)))
    bad[0, 2, 0], bad[0, 5, 1], bad[0, 7, 0] = NAN, INF, -INF
    conv("f32/nan_inf", mx.array(bad), normal((3, 2, 2)))
    conv("f32/nan_depthwise", mx.array(bad), normal((2, 2, 1)), groups=2)
    x = normal((2, 5, 4, 3))
    for label, w, how in (
        ("channels", (4, 2, 2, 2), {}),
        ("kernel", (4, 6, 2, 3), {}),
        ("rank", (4, 2, 3), {}),
        ("groups", (4, 2, 2, 1), {"groups": 2}),
        ("outputs", (4, 2, 2, 1), {"groups": 3}),
        ("stride", (4, 2, 2, 3), {"stride": [1, 2, 3]}),
        ("negative_stride", (4, 2, 2, 3), {"stride": [-1, 1]}),
        ("dilated_kernel", (4, 2, 2, 3), {"kernel_dilation": [5, 1]}),
        ("crop", (4, 2, 2, 3), {"low": [-2, 0]}),
    ):
        conv(f"error/{label}", x, normal(w), **how)
    conv("error/integers", ints((1, 5, 3)), ints((2, 2, 3)))
    conv("error/rank_2", normal((5, 3)), normal((2, 3)))


def by_name():
    for dtype in FLOATS:
        x1, x2 = normal((2, 9, 4), dtype), normal((1, 6, 7, 4), dtype)
        x3 = normal((1, 3, 4, 3, 2), dtype)
        named(f"{dtype}/default", "conv1d", x1, normal((3, 2, 4), dtype), {})
        attrs = {"stride": 2, "padding": 3, "dilation": 2, "groups": 2}
        named(f"{dtype}/all", "conv1d", x1, normal((6, 3, 2), dtype), attrs)
        named(f"{dtype}/default", "conv2d", x2, normal((3, 2, 3, 4), dtype), {})
        attrs = {"stride": [2, 1], "padding": [1, 2], "dilation": [1, 2], "groups": 2}
        named(f"{dtype}/all", "conv2d", x2, normal((6, 3, 2, 2), dtype), attrs)
        named(f"{dtype}/default", "conv3d", x3, normal((3, 2, 2, 3, 2), dtype), {})
        attrs = {"stride": [1, 2, 1], "padding": [1, 0, 1], "dilation": [2, 1, 1]}
        named(f"{dtype}/all", "conv3d", x3, normal((4, 2, 3, 2, 2), dtype), attrs)

        t = "conv_transpose"
        named(f"{dtype}/default", f"{t}1d", x1, normal((3, 2, 4), dtype), {})
        attrs = {"stride": 3, "padding": 1, "dilation": 2, "output_padding": 2, "groups": 2}
        named(f"{dtype}/all", f"{t}1d", x1, normal((6, 3, 2), dtype), attrs)
        named(f"{dtype}/stride", f"{t}1d", x1, normal((5, 4, 4), dtype), {"stride": 2, "padding": 1})
        named(f"{dtype}/default", f"{t}2d", x2, normal((3, 2, 3, 4), dtype), {})
        attrs = {
            "stride": [2, 3],
            "padding": [1, 0],
            "dilation": [1, 2],
            "output_padding": [1, 2],
            "groups": 2,
        }
        named(f"{dtype}/all", f"{t}2d", x2, normal((6, 3, 2, 2), dtype), attrs)
        attrs = {"stride": [2, 2], "padding": [1, 1], "output_padding": [1, 1], "groups": 4}
        named(f"{dtype}/depthwise", f"{t}2d", x2, normal((4, 3, 3, 1), dtype), attrs)
        named(f"{dtype}/default", f"{t}3d", x3, normal((3, 2, 2, 3, 2), dtype), {})
        attrs = {
            "stride": [1, 2, 2],
            "padding": [1, 0, 1],
            "dilation": [2, 1, 1],
            "output_padding": [0, 1, 1],
        }
        named(f"{dtype}/all", f"{t}3d", x3, normal((4, 2, 3, 2, 2), dtype), attrs)
    named("error/rank", "conv2d", normal((1, 5, 3)), normal((2, 2, 3)), {})
    named("error/channels", "conv_transpose1d", normal((1, 5, 3)), normal((3, 2, 2)), {})


def group_norms():
    def norm(label, x, groups, weight, bias, eps, compatible, note=None):
        dims = x.shape[-1]

        def compute(x, weight, bias):
            layer = nn.GroupNorm(
                groups, dims, eps, affine=weight is not None, pytorch_compatible=compatible
            )
            if weight is not None:
                layer.weight, layer.bias = weight, bias
            return layer(x)

        attrs = {"num_groups": groups, "eps": eps, "pytorch_compatible": compatible}
        # where the parameters are float32 and x is not, MLX rounds what lies between to x's dtype
        wide = lambda x, *p: compute(x.astype(mx.float32), *p)
        case(
            f"group_norm/{label}",
            "group_norm",
            [x, weight, bias],
            attrs,
            wide if note else compute,
            via=True,
            note=note,
        )

    for dtype in FLOATS:
        for compatible in (False, True):
            for shape, groups in (
                ((2, 5, 8), 2),
                ((1, 3, 5, 9), 3),
                ((3, 4), 4),
                ((2, 2, 3, 1, 6), 1),
                ((2, 1, 17), 17),
                ((2, 129, 6), 3),
            ):
                label = f"{dtype}/{'torch' if compatible else 'mlx'}/{shape_name(shape)}/{groups}"
                x = normal(shape, dtype, scale=2.0, shift=0.5)
                w, b = normal(shape[-1:], dtype, 0.3, 1.0), normal(shape[-1:], dtype, 0.3)
                norm(label, x, groups, w, b, 1e-5, compatible)
            norm(
                f"{dtype}/{'torch' if compatible else 'mlx'}/plain",
                normal((2, 7, 4), dtype),
                2,
                None,
                None,
                1e-3,
                compatible,
            )
    norm("f16_f32", normal((2, 3, 4), "f16"), 2, normal((4,)), normal((4,)), 1e-5, True, "x in f32")


def main():
    general()
    by_name()
    group_norms()
    write("conv", "mlx_conv.py")


if __name__ == "__main__":
    main()
