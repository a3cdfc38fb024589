#!/usr/bin/env python3
"""Goldens of what hands values through, from Python MLX (CPU): tests/goldens/ops/passthrough.json and
.safetensors.

mlx_cases.py explains the format. depends takes the first "count" inputs after the others; custom_function is
the product and the sum of its two arguments.

Rerun: python tools/oracles/mlx_passthrough.py
"""

import mlx.core as mx
from mlx_cases import DTYPES, case, draw, write

for dtype in DTYPES:
    x, y = draw((3, 5), dtype), draw((7,), dtype)
    case(f"copy/{dtype}", "copy", [x], {}, lambda x: mx.array(x), exact=True)
    case(f"stop_gradient/{dtype}", "stop_gradient", [x], {}, mx.stop_gradient, exact=True)
    case(f"depends/{dtype}", "depends", [x, y], {"count": 1}, lambda x, y: mx.depends([x], [y])[0], exact=True)
for shape in ((), (0,), (2, 0, 3)):
    x = mx.zeros(shape)
    name = "x".join(map(str, shape)) or "scalar"
    case(f"copy/{name}", "copy", [x], {}, lambda x: mx.array(x), exact=True)
    case(f"stop_gradient/{name}", "stop_gradient", [x], {}, mx.stop_gradient, exact=True)
x, y, z = draw((2, 3), "f32"), draw((4,), "i32"), draw((5,), "f16")
case("depends/two_on_one", "depends", [x, y, z], {"count": 2}, lambda x, y, z: tuple(mx.depends([x, y], [z])), exact=True)
case("depends/nothing", "depends", [x, y], {"count": 2}, lambda x, y: tuple(mx.depends([x, y], [])), exact=True)
product_and_sum = mx.custom_function(lambda x, y: (x * y, x + y))
for dtype in ("f32", "f16", "bf16", "i32"):
    x, y = draw((3, 5), dtype), draw((5,), dtype)
    case(f"custom_function/{dtype}", "custom_function", [x, y], {}, product_and_sum, exact=True)

write("passthrough", "mlx_passthrough.py")
