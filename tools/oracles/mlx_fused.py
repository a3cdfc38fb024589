#!/usr/bin/env python3
"""Goldens of functions that compile() fuses, from Python MLX (CPU): tests/goldens/ops/fused.json and
.safetensors.

mlx_cases.py explains the format. The attribute "function" names the function; tessera/conformance/adapters_fused.cpp
has the same ones. The expected values are those of MLX's ops one after the other.

Rerun: python tools/oracles/mlx_fused.py
"""

import mlx.core as mx
from mlx_cases import case, draw, write


def gelu(x, bias):
    x = x + bias
    return 0.5 * x * (1 + mx.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def layer_norm(x, weight, bias):
    centred = x - mx.mean(x, -1, keepdims=True)
    return centred * mx.rsqrt(mx.mean(mx.square(centred), -1, keepdims=True) + 1e-5) * weight + bias


def softmax(x):
    e = mx.exp(x - mx.max(x, -1, keepdims=True))
    return e / mx.sum(e, -1, keepdims=True)


def adam(p, g, m, v):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * mx.square(g)
    return p - 0.01 * m / (mx.sqrt(v) + 1e-8), m, v


def choice(a, b):
    odd = a % 3 == 1
    return mx.where(mx.logical_and(odd, b > 0), a * b, a - b), odd


def fused(name, function, inputs, **options):
    case(f"fused/{name}", "fused", inputs, {"function": function.__name__}, function, **options)


for dtype in ("f32", "f16", "bf16"):
    fused(f"gelu/{dtype}", gelu, [draw((17, 65), dtype), draw((65,), dtype)])
    fused(f"adam/{dtype}", adam, [draw((17, 65), dtype), draw((17, 65), dtype), draw((17, 65), dtype),
                                  mx.abs(draw((17, 65), dtype))])
for name, shape in (("rows", (17, 65)), ("blocks", (3, 5, 127)), ("wide", (8, 513))):
    fused(f"layer_norm/{name}", layer_norm, [draw(shape, "f32"), draw(shape[-1:], "f32"), draw(shape[-1:], "f32")])
    fused(f"softmax/{name}", softmax, [draw(shape, "f32")])
for dtype in ("i32", "u8", "f32"):
    fused(f"choice/{dtype}", choice, [draw((17, 65), dtype), draw((65,), dtype)], exact=True)

write("fused", "mlx_fused.py")
