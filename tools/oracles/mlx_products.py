#!/usr/bin/env python3
"""Goldens of products and statistics over axes, from Python MLX (CPU): tests/goldens/ops/products.json
and .safetensors.

mlx_cases.py explains the format.

Rerun: python tools/oracles/mlx_products.py
"""

import mlx.core as mx
from mlx_cases import DTYPES, FLOATS, INF, NAN, bools, case, draw, ints, normal, write

INTEGERS = ("i32", "u8", "i8", "i16", "u16", "u32", "i64", "u64")
ALL = (*FLOATS, *INTEGERS, "bool")


def call(name, op, inputs, exact=False, via=True, **attrs):
    case(name, op, inputs, attrs, lambda *x: getattr(mx, op)(*x, **attrs), exact=exact, via=via)


# --- Spread and counts ---

for dtype in ALL:
    x = draw((3, 4, 5), dtype)
    for axis in (None, 0, [0, 2], -1):
        for ddof in (0, 1):
            for op in ("var", "std"):
                call(f"{op}/{dtype}/{axis}/{ddof}", op, [x], axis=axis, keepdims=ddof == 1, ddof=ddof)
        call(f"count_nonzero/{dtype}/{axis}", "count_nonzero", [x], exact=True, axis=axis, keepdims=axis == 0)
        call(f"minmax/{dtype}/{axis}", "minmax", [x], exact=True, via=False, axis=axis, keepdims=axis == 0)
for op in ("var", "std"):
    for shape in ((65,), (2, 129)):
        call(f"{op}/f32/{'x'.join(map(str, shape))}", op, [normal(shape, scale=3.0, shift=50.0)], axis=None, keepdims=False, ddof=0)
    call(f"{op}/f32/special", op, [mx.array([[1.0, NAN], [INF, 1.0], [2.0, 2.0]])], axis=1, keepdims=False, ddof=0)
    call(f"{op}/i32/one", op, [mx.array(3)], axis=None, keepdims=False, ddof=0)
    call(f"{op}/i32/too_few", op, [mx.array([1, 2, 3])], axis=None, keepdims=False, ddof=3)
    call(f"{op}/f16/large", op, [mx.array([600.0, -600.0], dtype=mx.float16)], axis=None, keepdims=False, ddof=0)
    call(f"{op}/c64", op, [normal((4, 3)) + 1j * normal((4, 3))], axis=0, keepdims=False, ddof=1)
    call(f"{op}/error/axis", op, [normal((3,))], axis=1, keepdims=False, ddof=0)
    call(f"{op}/error/twice", op, [normal((3, 2))], axis=[0, -2], keepdims=False, ddof=0)
call("count_nonzero/nan", "count_nonzero", [mx.array([NAN, 0.0, -0.0, 1.0])], exact=True, axis=None, keepdims=False)
call("minmax/error/empty", "minmax", [mx.zeros((2, 0))], axis=1, keepdims=False)

# --- Products ---

for dtype in ALL:
    a, b = draw((5,), dtype), draw((4,), dtype)
    call(f"outer/{dtype}", "outer", [a, b], exact=dtype not in FLOATS)
    call(f"kron/{dtype}", "kron", [draw((2, 3), dtype), draw((3, 2), dtype)], exact=dtype not in FLOATS)
    call(f"vecdot/{dtype}", "vecdot", [draw((3, 7), dtype), draw((3, 7), dtype)], exact=dtype not in FLOATS, axis=-1)
for dtype in FLOATS:
    call(f"inner/{dtype}", "inner", [normal((2, 3, 7), dtype), normal((4, 7), dtype)])
    call(f"inner/{dtype}/scalar", "inner", [normal((), dtype), normal((4,), dtype)])
    for axis in (0, 1, 2):
        call(f"tensordot/{dtype}/{axis}", "tensordot", [normal((2, 3, 4), dtype), normal(((3, 4), (4, 3), (3, 4))[axis] if axis else (2, 2), dtype)], axes=axis)
call("outer/matrices", "outer", [normal((2, 3)), normal((2, 2))])
call("outer/scalar", "outer", [normal(()), normal((3,))])
for sa, sb in (((3,), (2, 2)), ((2, 2), (3,)), ((), (3,)), ((2, 1, 3), (4,))):
    call(f"kron/{sa}_{sb}", "kron", [normal(sa), normal(sb)])
call("vecdot/c64", "vecdot", [normal((3, 4)) + 1j * normal((3, 4)), normal((3, 4)) + 1j * normal((3, 4))], axis=-1)
call("vecdot/axis0", "vecdot", [normal((5, 3)), normal((5, 3))], axis=0)
call("vecdot/error", "vecdot", [normal((3, 4)), normal((3, 5))], axis=-1)
for aa, ab in (([0], [1]), ([1, 2], [0, 2]), ([-1], [-1]), ([], [])):
    a = normal((2, 3, 4))
    b = normal({"[0]": (5, 2), "[1, 2]": (3, 5, 4), "[-1]": (6, 4), "[]": (2, 2)}[str(aa)])
    call(f"tensordot/{aa}_{ab}", "tensordot", [a, b], axes=[aa, ab])
call("tensordot/error/sizes", "tensordot", [normal((2, 3)), normal((2, 3))], axes=1)
call("tensordot/error/counts", "tensordot", [normal((2, 3)), normal((3, 2))], axes=[[1], [0, 1]])
call("tensordot/error/negative", "tensordot", [normal((2, 3)), normal((3, 2))], axes=-1)
call("inner/error/sizes", "inner", [normal((2, 3)), normal((2, 4))])
call("inner/error/integers", "inner", [draw((3,), "i32"), draw((3,), "i32")])

# --- Einstein's summation ---


def einsum(subscripts, *inputs, exact=False):
    shapes = "_".join("x".join(map(str, i.shape)) for i in inputs)
    kind = str(inputs[0].dtype).split(".")[-1] if inputs else "none"
    name = f"einsum/{subscripts}/{kind}/{shapes}"
    case(name, "einsum", list(inputs), {"subscripts": subscripts}, lambda *x: mx.einsum(subscripts, *x), exact=exact)


for dtype in FLOATS:
    m = lambda *shape: normal(shape, dtype)
    einsum("ij,jk->ik", m(3, 4), m(4, 5))
    einsum("ij,jk", m(3, 4), m(4, 5))
    einsum("bij,bkj->bik", m(2, 3, 4), m(2, 5, 4))
    einsum("i,i", m(7), m(7))
    einsum("i,j->ji", m(3), m(4))
    einsum("ij->", m(3, 4))
    einsum("...ij,...jk->...ik", m(2, 1, 3, 4), m(5, 4, 2))
m = lambda *shape: normal(shape)
einsum("ji", m(2, 3))
einsum("ba,ca->bc", m(2, 3), m(4, 3))
einsum("ii->i", m(4, 4))
einsum("ii", m(4, 4))
einsum("iji->ij", m(3, 2, 3))
einsum("ii,i->i", m(3, 3), m(3))
einsum("...i->...", m(2, 3, 4))
einsum("i...->...i", m(2, 3, 4))
einsum("...", m(2, 3))
einsum("ij,ij->ij", m(3, 4), m(3, 4))
einsum("ij,kl->ijkl", m(2, 3), m(3, 2))
einsum("abc,cd,be->ade", m(2, 3, 4), m(4, 5), m(3, 2))
einsum("ij,jk,kl,lm->im", m(2, 3), m(3, 4), m(4, 5), m(5, 2))
einsum("bhqd,bhkd->bhqk", m(2, 2, 3, 4), m(2, 2, 5, 4))
einsum(" i j , j k -> i k ", m(2, 3), m(3, 2))
einsum("ij,jk->ik", m(2, 1), m(3, 2))
einsum("ij,j->i", m(3, 0), m(0))
einsum("->", normal(()))
einsum(",i->i", normal(()), m(3))
for dtype in ("i32", "u8", "bool"):
    einsum("ij->ji", draw((2, 3), dtype), exact=True)
    einsum("ii->i", draw((3, 3), dtype), exact=True)
    einsum("i,j->ij", draw((3,), dtype), draw((2,), dtype), exact=True)
einsum("ij->i", draw((2, 3), "i32"), exact=True)
einsum("i,j", m(3))
einsum("i", m(3, 2))
einsum("ij,jk", m(2, 3), m(4, 2))
einsum("i->ii", m(3))
einsum("i->j", m(3))
einsum("i1->i", m(3, 3))
einsum("i..->i", m(3, 3))
for subscripts, shapes in (
    ("ij,jk->ik", ((2, 3), (3, 4))),
    ("ij,jk,kl->il", ((2, 3), (3, 4), (4, 5))),
    ("ij,jk,kl->il", ((50, 3), (3, 4), (4, 5))),
    ("ij,jk,kl,lm->im", ((2, 30), (30, 4), (4, 5), (5, 60))),
    ("abc,cd,be->ade", ((2, 3, 4), (4, 5), (3, 2))),
    ("i->i", ((3,),)),
):
    inputs = [normal(s) for s in shapes]
    path, text = mx.einsum_path(subscripts, *inputs)
    flat = [n for step in path for n in step]
    case(f"einsum_path/{subscripts}/{shapes[0]}", "einsum_path", inputs, {"subscripts": subscripts, "text": text}, lambda *x, flat=flat: mx.array(flat), exact=True)

# --- Parts of matrix products ---


def blocked(x, y, out, lhs, rhs, block=32):
    """MLX's CPU kernel takes float32 only."""
    wide = lambda v: v.astype(mx.float32) if v is not None and v.dtype != mx.bool_ else v
    return mx.block_masked_mm(wide(x), wide(y), block, wide(out), wide(lhs), wide(rhs)).astype(x.dtype)



for dtype in FLOATS:
    for m_, k, n in ((64, 32, 32), (40, 70, 33)):
        up = lambda v: (v + 31) // 32
        a, b = normal((m_, k), dtype), normal((k, n), dtype)
        masks = [bools((up(m_), up(n))), bools((up(m_), up(k))), bools((up(k), up(n)))]
        name = f"block_masked_mm/{dtype}/{m_}x{k}x{n}"
        for label, (out, lhs, rhs) in {"all": masks, "out": (masks[0], None, None), "inputs": (None, *masks[1:])}.items():
            case(f"{name}/{label}", "block_masked_mm", [a, b, out, lhs, rhs], {"block_size": 32}, blocked)
        scaled = [normal(s.shape, dtype) for s in masks]
        case(f"{name}/scaled", "block_masked_mm", [a, b, *scaled], {"block_size": 32}, blocked)
    segments = mx.array([[0, 3], [3, 9], [9, 9], [2, 12]], dtype=mx.uint32)
    case(f"segmented_mm/{dtype}", "segmented_mm", [normal((5, 12), dtype), normal((12, 3), dtype), segments], {}, mx.segmented_mm, via=True)
case("block_masked_mm/batch", "block_masked_mm", [normal((2, 64, 64)), normal((2, 64, 32)), None, bools((2, 1, 1)), None], {"block_size": 64}, lambda *x: blocked(*x, block=64))
case("block_masked_mm/error/block", "block_masked_mm", [normal((32, 32)), normal((32, 32)), bools((2, 2)), None, None], {"block_size": 16}, lambda *x: blocked(*x, block=16))
case("block_masked_mm/error/mask", "block_masked_mm", [normal((32, 32)), normal((32, 32)), bools((2, 2)), None, None], {"block_size": 32}, blocked)
case("segmented_mm/error/dtype", "segmented_mm", [normal((2, 3)), normal((3, 2)), normal((1, 2))], {}, mx.segmented_mm)
case("segmented_mm/error/shape", "segmented_mm", [normal((2, 3)), normal((3, 2)), ints((1, 3), "u32", 0, 2)], {}, mx.segmented_mm)

# --- Hadamard ---

for dtype in FLOATS:
    for n in (1, 2, 16, 256, 12, 24, 20, 80, 28, 56):
        call(f"hadamard_transform/{dtype}/{n}", "hadamard_transform", [normal((3, n), dtype)], scale=None)
call("hadamard_transform/scale", "hadamard_transform", [normal((2, 3, 8))], scale=0.25)
call("hadamard_transform/i32", "hadamard_transform", [draw((8,), "i32")], scale=None)
call("hadamard_transform/error", "hadamard_transform", [normal((2, 5))], scale=None)

write("products", "mlx_products.py")
