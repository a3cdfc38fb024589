"""What the scripts that make op goldens with Python MLX share: drawing inputs, recording cases, writing.

FAMILY.json has one case a line: {"id", "op", "attrs", "inputs", "outputs"}; inputs and outputs name
tensors of FAMILY.safetensors (equal tensors are stored once; in "inputs" null stands for an argument
left out). Further keys:
  "exact": true   the result is a matter of bits, not rounding (moves, comparisons, integers, casts)
  "via": "f32"    a half-precision case whose expected value is MLX's f32 result of the same inputs,
                  rounded once. "native_ulp" says how far at most MLX's own half result is from it,
                  in units of the last place of the output's largest value (0 to 3; a running sum
                  and attention are rounded between steps there)
  "error": "..."  the call must fail; the text is MLX's
  "note"          what to know before relying on the case
Compare NaN as equal to NaN, whatever its bits. Attributes carry MLX's parameter names. "scalar" is a
Python number given as the second operand (it does not promote). "input 1" as a value stands for that
input. slice and slice_update have start, stop and strides of the C++ function.
"""

import collections
import hashlib
import json
import math
import os
import pathlib

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)

GOLDENS = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens"
ROOT = GOLDENS / "ops"
# With TESSERA_GRADIENTS=1 in the environment a script writes goldens/gradients/FAMILY instead: for the
# small float32 cases of its family, MLX's gradients of the floating inputs for cotangents that
# cotangent() makes. The cases themselves must come out as they are committed.
GRADIENTS = bool(os.environ.get("TESSERA_GRADIENTS"))
MOST_ELEMENTS = 150
RNG = np.random.default_rng(20260102)
FLOATS = {"f32": mx.float32, "f16": mx.float16, "bf16": mx.bfloat16}
DTYPES = {
    "bool": mx.bool_,
    "u8": mx.uint8,
    "u16": mx.uint16,
    "u32": mx.uint32,
    "u64": mx.uint64,
    "i8": mx.int8,
    "i16": mx.int16,
    "i32": mx.int32,
    "i64": mx.int64,
    **FLOATS,
}
STORED = {  # safetensors' name, and the dtype whose bytes numpy can give
    mx.bool_: ("BOOL", None),
    mx.uint8: ("U8", None),
    mx.uint16: ("U16", None),
    mx.uint32: ("U32", None),
    mx.uint64: ("U64", None),
    mx.int8: ("I8", None),
    mx.int16: ("I16", None),
    mx.int32: ("I32", None),
    mx.int64: ("I64", None),
    mx.float32: ("F32", None),
    mx.float16: ("F16", None),
    mx.bfloat16: ("BF16", mx.uint16),
    mx.complex64: ("C64", None),
}
MANTISSA = {mx.float16: 10, mx.bfloat16: 7}
INF, NAN = math.inf, math.nan
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    INF,
    -INF,
    NAN,
    1e-4,
    -1e-4,
    88.0,
    -88.0,
    3.14159265,
    200.0,
]

gradients = {}  # case -> [gradient of each floating input]
tensors = {}  # name -> (type, shape, bytes)
by_content = {}
cases = []
ids = set()
native = collections.defaultdict(float)


def store(array):
    if array is None:
        return None
    kind, view = STORED[array.dtype]
    shape = list(array.shape)
    flat = array.reshape(-1)
    mx.eval(flat)
    if flat.size == 0:
        data = b""
    else:
        values = np.array(flat.view(view) if view else flat)
        if array.dtype == mx.float32:  # one NaN for all
            values[np.isnan(values)] = np.float32(np.nan)
        data = values.tobytes()
    key = (kind, tuple(shape), data)
    if key not in by_content:
        by_content[key] = f"t{len(tensors):04}"
        tensors[by_content[key]] = key
    return by_content[key]


def cotangent(out):
    """Numbers that the tests can make too: sin(1.7 i + 0.3) + 0.3 cos(0.111)."""
    values = np.sin(1.7 * np.arange(out.size) + 0.3) + 0.3 * np.cos(0.37 * 0.3)
    return mx.array(values.reshape(out.shape).astype(np.float32)).astype(out.dtype)


def find_gradients(name, inputs, outs, compute):
    given = [i for i in inputs if i is not None]
    floating = [k for k, i in enumerate(inputs) if i is not None and i.dtype == mx.float32]
    if any(i.dtype in (mx.float16, mx.bfloat16, mx.complex64) for i in given) or not floating:
        return
    if any(o.dtype != mx.float32 for o in outs) or sum(i.size for i in given) > MOST_ELEMENTS:
        return
    if any(o.size == 0 for o in [*given, *outs]):  # MLX may hang
        return

    def function(*values):
        full = list(inputs)
        for k, value in zip(floating, values):
            full[k] = value
        out = compute(*full)
        return list(out) if isinstance(out, (tuple, list)) else [out]

    try:
        _, found = mx.vjp(function, [inputs[k] for k in floating], [cotangent(o) for o in outs])
        mx.eval(found)
    except (ValueError, RuntimeError, IndexError):
        return  # MLX has no derivative here
    gradients[name] = found


def case(name, op, inputs, attrs, compute, exact=False, via=False, note=None):
    """compute(*inputs) gives an array, or a tuple of them."""
    assert name not in ids, name
    ids.add(name)
    entry = {"id": name, "op": op, "attrs": attrs, "inputs": [store(i) for i in inputs]}
    try:
        out = compute(*inputs)
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        mx.eval(outs)
        halves = any(o.dtype in MANTISSA for o in outs)
        if via and halves:
            wide = compute(
                *[
                    i.astype(mx.float32) if i is not None and i.dtype in MANTISSA else i
                    for i in inputs
                ]
            )
            (before,) = outs
            outs = [wide.astype(before.dtype)]
            entry["via"] = "f32"
            a, b = (np.array(o.astype(mx.float32)).reshape(-1) for o in (before, outs[0]))
            good = np.isfinite(a) & np.isfinite(b)
            if good.any():
                top = max(abs(b[good]).max(), 1e-30)
                ulp = 2.0 ** (math.floor(math.log2(top)) - MANTISSA[before.dtype])
                entry["native_ulp"] = round(float(abs(a[good] - b[good]).max() / ulp), 2)
                native[op] = max(native[op], entry["native_ulp"])
        entry["outputs"] = [store(o) for o in outs]
        if GRADIENTS:
            find_gradients(name, inputs, outs, compute)
    except (ValueError, IndexError) as error:
        entry["error"] = str(error)
    if exact:
        entry["exact"] = True
    if note:
        entry["note"] = note
    cases.append(entry)


def normal(shape, dtype="f32", scale=1.0, shift=0.0):
    return mx.array((RNG.standard_normal(shape) * scale + shift).astype(np.float32)).astype(
        DTYPES[dtype]
    )


def ints(shape, dtype="i32", low=-9, high=10):
    return mx.array(RNG.integers(low, high, shape).astype(np.int64)).astype(DTYPES[dtype])


def bools(shape, p=0.5):
    return mx.array(RNG.random(shape) < p)


def draw(shape, dtype, **how):
    if dtype in FLOATS:
        return normal(shape, dtype, **how)
    if dtype == "bool":
        return bools(shape)
    return ints(shape, dtype, low=0 if dtype[0] == "u" else -9)


def with_bad_rows(shape, dtype):
    """Rows: 0 plain, 1 with a NaN, 2 with +inf, 3 all -inf, 4 with one -inf, 5 of equal values."""
    x = np.array(normal(shape))
    x[1, 2] = NAN
    x[2, 1] = INF
    x[3, :] = -INF
    x[4, 0] = -INF
    x[5, :] = 0.75
    return mx.array(x).astype(DTYPES[dtype])


def shape_name(*shapes):
    return "_".join("x".join(map(str, s)) or "scalar" for s in shapes)


def safetensors(script, oracle=None):
    """The bytes of a file with all tensors stored so far. oracle: when not MLX."""
    made_by = oracle or f"mlx {mx.__version__} cpu"
    header, offset = {"__metadata__": {"oracle": f"{made_by}, tools/oracles/{script}"}}, 0
    # widest types first, so that every tensor is aligned to its own size
    width = lambda kind: {"64": 8, "32": 4, "16": 2}.get(kind[-2:], 1)
    order = sorted(tensors, key=lambda n: (-width(tensors[n][0]), n))
    for name in order:
        kind, shape, data = tensors[name]
        header[name] = {
            "dtype": kind,
            "shape": list(shape),
            "data_offsets": [offset, offset + len(data)],
        }
        offset += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(tensors[n][2] for n in order)


def write_gradients(family, script):
    committed = json.loads((ROOT / f"{family}.json").read_text())
    made = hashlib.sha256(safetensors(script)).hexdigest()
    assert made == committed["sha256_of_tensors"], "the cases differ from the committed ones"
    tensors.clear()
    by_content.clear()
    entries = [{"id": n, "gradients": [store(g) for g in found]} for n, found in gradients.items()]
    folder = GOLDENS / "gradients"
    folder.mkdir(parents=True, exist_ok=True)
    blob = safetensors(script)
    (folder / f"{family}.safetensors").write_bytes(blob)
    head = {"mlx": mx.__version__, "sha256_of_tensors": hashlib.sha256(blob).hexdigest()}
    lines = ",\n".join(json.dumps(e, separators=(",", ":")) for e in entries)
    (folder / f"{family}.json").write_text(
        json.dumps(head, separators=(",", ":"))[:-1] + ',"cases":[\n' + lines + "\n]}\n"
    )
    print(f"{len(entries)} cases with gradients, {len(blob)} bytes")


def write(family, script, oracle=None):
    """All cases so far, as ROOT/FAMILY.json and ROOT/FAMILY.safetensors."""
    if GRADIENTS:
        write_gradients(family, script)
        return
    blob = safetensors(script, oracle)
    ROOT.mkdir(parents=True, exist_ok=True)
    (ROOT / f"{family}.safetensors").write_bytes(blob)

    head = {
        **({"oracle": oracle} if oracle else {"mlx": mx.__version__, "device": "cpu"}),
        "sha256_of_tensors": hashlib.sha256(blob).hexdigest(),
    }
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    (ROOT / f"{family}.json").write_text(
        json.dumps(head, separators=(",", ":"))[:-1] + ',"cases":[\n' + lines + "\n]}\n"
    )

    loaded = mx.load(str(ROOT / f"{family}.safetensors"))
    assert len(loaded) == len(tensors)
    per_op = collections.Counter(c["op"] for c in cases)
    print(f"{len(cases)} cases, {len(tensors)} tensors, {len(blob)} bytes")
    print("cases:", dict(per_op))
    print("errors:", [(c["id"], c["error"]) for c in cases if "error" in c])
    print(
        "largest distance of MLX's own half results from f32 rounded once, in ulp:",
        {k: v for k, v in sorted(native.items(), key=lambda i: -i[1]) if v >= 1},
    )
