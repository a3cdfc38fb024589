#!/usr/bin/env python3
"""Tiny checkpoints quantised by MLX, as mlx-lm lays them out, with what transformers makes of them.

Writes tests/goldens/tiny/mlx_affine and mlx_mxfp4, with the files of tiny_checkpoints.py; but in
model.safetensors a quantised NAME.weight is MLX's uint32 codes beside NAME.scales and NAME.biases,
and config.json says how under "quantization". The results come from transformers over the float32
weights that mx.dequantize gives. Where a "quantization" has entries for layers, each must be seen:
the script reads that layer with the settings of the others and stops unless that fails or moves
the logits.

Rerun: python tools/oracles/mlx_checkpoints.py
"""

import copy
import json
import pathlib
import sys
import tempfile

import mlx.core as mx
import numpy as np
import safetensors.torch
import torch
import transformers

import tiny_checkpoints as tiny

mx.set_default_device(mx.cpu)

SHAPE = dict(hidden_size=64, intermediate_size=96, num_attention_heads=4, num_key_value_heads=2)
LAYER = "model.layers.{}.{}"
# name -> (config, weight dtype, "quantization")
CHECKPOINTS = {
    "mlx_affine": (
        dict(tiny.LLAMA3, **SHAPE),
        "f16",
        {
            "group_size": 32,
            "bits": 4,
            "mode": "affine",
            LAYER.format(0, "mlp.down_proj"): {"group_size": 32, "bits": 8},
            LAYER.format(1, "self_attn.v_proj"): {"group_size": 64, "bits": 6},
            LAYER.format(1, "mlp.up_proj"): False,
        },
    ),
    "mlx_mxfp4": (
        dict(
            tiny.COMMON,
            **SHAPE | {"model_type": "qwen3"},
            tie_word_embeddings=True,
            attention_bias=False,
            rope_parameters=tiny.rope(1200.0),
        ),
        "bf16",
        {"group_size": 32, "bits": 4, "mode": "mxfp4"},
    ),
}
TO_MLX = {"f16": mx.float16, "bf16": mx.bfloat16}


def to_torch(array):
    if array.dtype == mx.bfloat16:
        return torch.from_numpy(np.array(array.view(mx.uint16))).view(torch.bfloat16)
    return torch.from_numpy(np.array(array))


def quantize(state, dtype, quantization):
    """The tensors as stored, and the float32 values that they stand for."""
    stored, values = {}, {}
    everywhere = {k: v for k, v in quantization.items() if k in ("group_size", "bits", "mode")}
    for name, w in state.items():
        layer = name.removesuffix(".weight")
        how = quantization.get(layer, everywhere)
        w = mx.array(w.numpy()).astype(TO_MLX[dtype])
        if w.ndim != 2 or how is False:
            stored[name] = to_torch(w)
            values[name] = to_torch(w.astype(mx.float32))
            continue
        parts = mx.quantize(w, **how)
        for suffix, part in zip(("weight", "scales", "biases"), parts):
            stored[f"{layer}.{suffix}"] = to_torch(part)
        wide = [p.astype(mx.float32) if p.dtype in TO_MLX.values() else p for p in parts]
        values[name] = to_torch(mx.dequantize(*wide, dtype=mx.float32, **how))
    return stored, values


def check_layer_entries(config, stored, values, tensors, quantization):
    everywhere = {k: quantization[k] for k in ("group_size", "bits", "mode")}
    for layer, how in quantization.items():
        if not isinstance(how, dict):
            continue
        parts = [mx.array(stored[f"{layer}.{s}"].numpy()) for s in ("weight", "scales", "biases")]
        try:
            w = mx.dequantize(*parts, **everywhere)
        except ValueError as error:
            print(f"    {layer} as the others: {error}")
            continue
        changed = dict(values, **{f"{layer}.weight": to_torch(w.astype(mx.float32))})
        model = tiny.load(tiny.make_model(config), changed)
        moved = model(tensors["input_ids"].long()).logits - tensors["logits"]
        assert moved.abs().max() > 1e-3, layer


def make(name):
    fields, dtype, quantization = CHECKPOINTS[name]
    folder = tiny.ROOT / name
    folder.mkdir(parents=True, exist_ok=True)
    config = tiny.make_config(fields)
    config.architectures = [type(tiny.make_model(config)).__name__]
    for attempt in range(50):  # as in tiny_checkpoints.py
        rng = np.random.default_rng([tiny.SEED, len(name), attempt])
        stored, values = quantize(tiny.draw(tiny.make_model(config), rng), dtype, quantization)
        model = tiny.load(tiny.make_model(config), values)
        with torch.no_grad():
            tensors = tiny.expected(model, rng)
        if tensors["greedy_gap"].min() > 5e-3 and len(set(tensors["greedy_ids"].tolist())) >= 10:
            break
    else:
        sys.exit(f"{name}: no good draw")
    with torch.no_grad():
        check_layer_entries(config, stored, values, tensors, quantization)

    versions = dict(tiny.VERSIONS, mlx=mx.__version__)
    oracle = dict(versions, script="tools/oracles/mlx_checkpoints.py", seed=tiny.SEED)
    tiny.save_weights(folder, stored, 1, {"format": "mlx"})
    safetensors.torch.save_file(
        tensors, folder / "expected.safetensors", {"oracle": json.dumps(oracle)}
    )
    config.dtype = {"f16": "float16", "bf16": "bfloat16"}[dtype]
    with tempfile.TemporaryDirectory() as scratch:
        config.save_pretrained(scratch)
        saved = json.loads(pathlib.Path(scratch, "config.json").read_text())
    for file, content in ("config.json", saved), ("config.other.json", tiny.classic(saved, fields)):
        content = dict(copy.deepcopy(content), quantization=quantization)
        (folder / file).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
    summary = {
        "greedy_ids": tensors["greedy_ids"].tolist(),
        "greedy_smallest_gap": round(float(tensors["greedy_gap"].min()), 5),
        "logits_std": round(float(tensors["logits"].std()), 4),
        "attention": "eager",
        "compute": "f32",
        "versions": versions,
        "attempt": attempt,
    }
    (folder / "expected.json").write_text(json.dumps(summary, separators=(",", ":")) + "\n")
    size = sum(f.stat().st_size for f in folder.iterdir())
    print(f"{name}: {size} bytes, {summary}")
    assert size < 500_000


if __name__ == "__main__":
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for checkpoint in CHECKPOINTS:
        make(checkpoint)
