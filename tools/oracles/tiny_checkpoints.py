#!/usr/bin/env python3
"""Random tiny checkpoints of the Llama-like decoder families, with what transformers makes of them.

Writes tests/goldens/tiny/<name>/:
  config.json           as transformers 5 saves it (rope_parameters), or, where CLASSIC says so, in
                        the spelling of most published checkpoints (rope_theta, rope_scaling, ...)
  config.other.json     the same config in the other of the two spellings
  model.safetensors     the weights (two shards and an index for llama3_sharded)
  expected.safetensors  inputs and results, see NAMES below
  expected.json         the ids once more for people, how close the greedy choices were, versions

A default initialisation would hide most mistakes (norms of one, biases of zero, almost uniform
logits), so every tensor is drawn anew; sizes differ from one another so that a transposed or
mis-split tensor cannot fit; rms_norm_eps is large enough to be seen. For each family the script then
breaks one feature at a time (MUTATIONS) and stops unless the logits move: a golden that cannot tell
is no golden.

NAMES in expected.safetensors (H hidden size, V vocabulary):
  input_ids [2,37] i32, logits [2,37,V] f32   no padding, positions from 0
  hidden.embed, hidden.layer.N, hidden.norm [37,H]   row 0: the residual stream going into layer 0
                        (after the embedding's scale, if any), coming out of layer N, and after the
                        final norm
  prompt_ids [12], greedy_ids [24] i32, greedy_gap [24] f32   best minus second-best logit per step
  ragged_ids [26] i32, ragged_lengths [3] i32   prompts of 5, 12 and 9 ids, one after the other
  ragged_logits [3,V] f32   logits of each one's last position, computed alone

Rerun: python tools/oracles/tiny_checkpoints.py [name ...]
"""

import copy
import json
import pathlib
import sys
import tempfile
import zlib

import numpy as np
import safetensors
import safetensors.torch
import torch
import transformers
from transformers import AutoConfig, AutoModelForCausalLM

ROOT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "tiny"
SEED = 20260101
LENGTH, PROMPT, STEPS, RAGGED = 37, 12, 24, (5, 12, 9)

COMMON = dict(
    vocab_size=211,
    hidden_size=48,
    intermediate_size=104,
    num_hidden_layers=2,
    num_attention_heads=6,
    num_key_value_heads=2,
    head_dim=16,
    max_position_embeddings=256,
    rms_norm_eps=1e-3,
    bos_token_id=1,
    eos_token_id=2,
    pad_token_id=None,
)
# Wavelengths of head size 16 at theta 500 are 6.3, 13.7, 29.7, 64.6, ...: with 32 original positions
# the first is kept, two are blended and the rest are divided.
LLAMA3_ROPE = dict(
    rope_type="llama3",
    factor=8.0,
    low_freq_factor=1.0,
    high_freq_factor=4.0,
    original_max_position_embeddings=32,
)
GEMMA3_LAYERS = ["sliding_attention", "full_attention", "sliding_attention"]


def rope(theta, **scaling):
    return dict({"rope_type": "default"}, rope_theta=theta, **scaling)


def gemma3_rope(**scaling):
    return dict(sliding_attention=rope(400.0), full_attention=dict(rope(9000.0), **scaling))


LLAMA3 = dict(
    COMMON,
    model_type="llama",
    tie_word_embeddings=False,
    rope_parameters=dict(LLAMA3_ROPE, rope_theta=500.0),
)
GEMMA3 = dict(
    COMMON,
    model_type="gemma3_text",
    num_hidden_layers=3,
    layer_types=GEMMA3_LAYERS,
    sliding_window=8,
    query_pre_attn_scalar=11,
    tie_word_embeddings=True,
    rope_parameters=gemma3_rope(),
)

# name -> (config, weight dtype, shards)
FAMILIES = {
    "llama2": (
        dict(
            COMMON,
            model_type="llama",
            num_key_value_heads=6,
            head_dim=8,
            tie_word_embeddings=False,
            rope_parameters=rope(700.0),
        ),
        "f32",
        1,
    ),
    "llama3": (LLAMA3, "f32", 1),
    "llama3_bf16": (LLAMA3, "bf16", 1),
    "llama3_f16": (LLAMA3, "f16", 1),
    "llama3_sharded": (LLAMA3, "f32", 2),
    "llama_biased": (
        dict(
            COMMON,
            model_type="llama",
            attention_bias=True,
            mlp_bias=True,
            tie_word_embeddings=False,
            rope_parameters=dict(rope(600.0), rope_type="linear", factor=3.0),
        ),
        "f32",
        1,
    ),
    "smollm2": (
        dict(
            COMMON,
            model_type="llama",
            hidden_size=72,
            num_attention_heads=9,
            num_key_value_heads=3,
            head_dim=8,
            tie_word_embeddings=True,
            rope_parameters=rope(900.0),
        ),
        "f32",
        1,
    ),
    "mistral": (
        dict(
            COMMON,
            model_type="mistral",
            sliding_window=8,
            tie_word_embeddings=False,
            rope_parameters=rope(800.0),
        ),
        "f32",
        1,
    ),
    "qwen2": (
        dict(
            COMMON,
            model_type="qwen2",
            head_dim=8,
            tie_word_embeddings=True,
            rope_parameters=rope(1100.0),
        ),
        "f32",
        1,
    ),
    # the first layer sees everything, the second only the last 8 positions
    "qwen2_sliding": (
        dict(
            COMMON,
            model_type="qwen2",
            head_dim=8,
            tie_word_embeddings=False,
            use_sliding_window=True,
            sliding_window=8,
            max_window_layers=1,
            rope_parameters=rope(1300.0),
        ),
        "f32",
        1,
    ),
    "qwen3": (
        dict(
            COMMON,
            model_type="qwen3",
            tie_word_embeddings=False,
            attention_bias=False,
            rope_parameters=rope(1200.0),
        ),
        "f32",
        1,
    ),
    "gemma2": (
        dict(
            COMMON,
            model_type="gemma2",
            sliding_window=8,
            query_pre_attn_scalar=11,
            tie_word_embeddings=True,
            attn_logit_softcapping=3.0,
            final_logit_softcapping=3.0,
            rope_parameters=rope(650.0),
        ),
        "f32",
        1,
    ),
    "gemma3": (GEMMA3, "f32", 1),
    "gemma3_softcap": (
        dict(
            GEMMA3,
            final_logit_softcapping=2.5,
            rope_parameters=gemma3_rope(rope_type="linear", factor=8.0),
        ),
        "f32",
        1,
    ),
}
CLASSIC = {
    "llama2",
    "llama3_f16",
    "llama3_sharded",
    "mistral",
    "qwen2",
    "qwen2_sliding",
    "gemma3_softcap",
}

# What must be seen in the logits when taken away: config overrides, or a weight suffix to reset.
LINEAR_OFF = {"rope_parameters": gemma3_rope()}
MUTATIONS = {
    "llama": [{"rms_norm_eps": 1e-5}, {"rope_parameters": rope(10000.0)}],
    "mistral": [{"sliding_window": None}, {"sliding_window": 9}, {"sliding_window": 7}],
    "qwen2": [{"rms_norm_eps": 1e-6}, "q_proj.bias", "k_proj.bias", "v_proj.bias"],
    "qwen3": [{"rms_norm_eps": 1e-6}, "q_norm.weight", "k_norm.weight"],
    "gemma2": [
        {"attn_logit_softcapping": None},
        {"final_logit_softcapping": None},
        {"query_pre_attn_scalar": 16},
        {"sliding_window": 9},
        {"hidden_activation": "gelu"},
        {"layer_types": ["full_attention", "sliding_attention"]},
        "post_attention_layernorm.weight",
        "pre_feedforward_layernorm.weight",
    ],
    "gemma3_text": [
        {"query_pre_attn_scalar": 16},
        {"sliding_window": 9},
        {"hidden_activation": "gelu"},
        {"layer_types": ["sliding_attention", "sliding_attention", "full_attention"]},
        {"rope_parameters": dict(sliding_attention=rope(9000.0), full_attention=rope(9000.0))},
        "q_norm.weight",
        "k_norm.weight",
        "post_feedforward_layernorm.weight",
    ],
}
EXTRA_MUTATIONS = {
    "llama3": [
        {"rope_parameters": rope(500.0)},
        {"rope_parameters": dict(LLAMA3_ROPE, rope_theta=500.0, high_freq_factor=2.0)},
    ],
    "llama_biased": [
        {"rope_parameters": rope(600.0)},
        "o_proj.bias",
        "down_proj.bias",
        "gate_proj.bias",
    ],
    "qwen2_sliding": [
        {"max_window_layers": 0, "layer_types": None},
        {"max_window_layers": 2, "layer_types": None},
    ],
    "gemma3_softcap": [{"final_logit_softcapping": None}, LINEAR_OFF],
}
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
VERSIONS = {
    "torch": torch.__version__.split("+")[0],
    "transformers": transformers.__version__,
    "safetensors": safetensors.__version__,
    "numpy": np.__version__,
}


def make_config(fields):
    fields = copy.deepcopy(fields)
    return AutoConfig.for_model(fields.pop("model_type"), **fields)


def make_model(config):
    model = AutoModelForCausalLM.from_config(
        copy.deepcopy(config), attn_implementation="eager", dtype=torch.float32
    )
    assert model.config._attn_implementation == "eager"
    return model.eval()


def draw(model, rng):
    """Fresh values for every tensor, in the order of their names."""
    gemma = model.config.model_type.startswith("gemma")
    state = {}
    for name, old in sorted(model.state_dict().items()):
        if name == "lm_head.weight" and model.config.tie_word_embeddings:
            continue
        z = rng.standard_normal(tuple(old.shape))
        if "norm" in name:
            z = 0.3 * z if gemma else 1 + 0.3 * z  # Gemma adds the one itself
            if gemma and name == "model.norm.weight":
                z += 2  # makes up for the small embeddings
        elif name.endswith("bias"):
            z = 0.3 * z
        elif "embed_tokens" in name:
            # With unit variance a tied head answers each token with the same token, whatever the
            # layers do; the more so in Gemma, which scales embeddings and normalises what layers add.
            z = (0.08 if gemma else 0.3 if model.config.tie_word_embeddings else 1.0) * z
        else:
            z = 1.5 * z / np.sqrt(old.shape[1])
        state[name] = torch.from_numpy(z.astype(np.float32))
    return state


def load(model, state):
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and set(missing) <= {"lm_head.weight"}, (missing, unexpected)
    model.tie_weights()
    return model


def greedy(model, prompt):
    """Greedy ids with and without a cache, and by generate(); all three must be the same."""
    ids, gaps, past, feed = list(prompt), [], None, list(prompt)
    for _ in range(STEPS):
        cached = model(torch.tensor([feed]), cache=past, use_cache=True)
        past = cached.cache
        whole = model(torch.tensor([ids]), use_cache=False).logits[0, -1]
        step = cached.logits[0, -1]
        assert torch.allclose(step, whole, atol=1e-4), (step - whole).abs().max()
        best = torch.topk(whole, 2)
        gaps.append(float(best.values[0] - best.values[1]))
        assert int(step.argmax()) == int(best.indices[0])
        ids.append(int(best.indices[0]))
        feed = ids[-1:]
    generated = ids[len(prompt) :]
    model.generation_config.eos_token_id = None  # else the id 2 would end it
    for use_cache in (True, False):
        settings = transformers.GenerationConfig(
            do_sample=False,
            max_new_tokens=STEPS,
            eos_token_id=None,
            pad_token_id=0,
            use_cache=use_cache,
        )
        prompt_tensor = torch.tensor([prompt])
        out = model.generate(
            prompt_tensor, attention_mask=torch.ones_like(prompt_tensor), generation_config=settings
        )
        assert (
            out[0, len(prompt) :].tolist() == generated
        ), f"generate(use_cache={use_cache}) differs"
    return generated, gaps


def expected(model, rng):
    vocab = model.config.vocab_size
    ids = rng.integers(3, vocab, (2, LENGTH))
    prompt = rng.integers(3, vocab, PROMPT).tolist()
    ragged = [rng.integers(3, vocab, n).tolist() for n in RAGGED]
    seen, hooks = {}, []
    inner = model.model
    for i, layer in enumerate(inner.layers):
        hooks.append(
            layer.register_forward_hook(
                lambda _, __, out, i=i: seen.__setitem__(
                    f"layer.{i}", out[0] if isinstance(out, tuple) else out
                )
            )
        )
    hooks.append(
        inner.layers[0].register_forward_pre_hook(
            lambda _, args, kwargs: seen.__setitem__(
                "embed", args[0] if args else kwargs["hidden_states"]
            ),
            with_kwargs=True,
        )
    )
    hooks.append(inner.norm.register_forward_hook(lambda _, __, out: seen.__setitem__("norm", out)))
    logits = model(torch.from_numpy(ids), use_cache=False).logits
    hidden = {f"hidden.{k}": v[0].clone() for k, v in seen.items()}
    for hook in hooks:
        hook.remove()
    generated, gaps = greedy(model, prompt)
    i32 = lambda x: torch.tensor(x, dtype=torch.int32)
    tensors = {
        "input_ids": i32(ids),
        "logits": logits,
        **hidden,
        "prompt_ids": i32(prompt),
        "greedy_ids": i32(generated),
        "greedy_gap": torch.tensor(gaps),
        "ragged_ids": i32(sum(ragged, [])),
        "ragged_lengths": i32(RAGGED),
        "ragged_logits": torch.stack(
            [model(torch.tensor([r]), use_cache=False).logits[0, -1] for r in ragged]
        ),
    }
    assert all(torch.isfinite(t).all() for t in tensors.values())
    return {k: v.contiguous().clone() for k, v in tensors.items()}


def classic(saved, fields):
    """The spelling of configs from before transformers 5, as most published checkpoints have it."""
    left_out = ("rope_parameters", "layer_types", "dtype", "_sliding_window_pattern")
    out = {k: v for k, v in saved.items() if k not in left_out}
    out["torch_dtype"] = saved["dtype"]
    params = copy.deepcopy(saved["rope_parameters"])
    if saved["model_type"] == "gemma3_text":
        out["rope_local_base_freq"] = params["sliding_attention"]["rope_theta"]
        out["sliding_window_pattern"] = 2
        params = params["full_attention"]
    out["rope_theta"] = params.pop("rope_theta")
    out["rope_scaling"] = None if params["rope_type"] == "default" else params
    if fields["head_dim"] == saved["hidden_size"] // saved["num_attention_heads"]:
        out.pop("head_dim", None)  # left to be derived
    return out


def save_weights(folder, state, shards, metadata):
    for old in folder.glob("model*"):
        old.unlink()
    if shards == 1:
        safetensors.torch.save_file(state, folder / "model.safetensors", metadata)
        return
    names = sorted(state)
    size = lambda n: state[n].numel() * state[n].element_size()
    total, run, index = sum(map(size, names)), 0, {}
    for name in names:
        index[name] = (
            f"model-{min(run * shards // total, shards - 1) + 1:05}-of-{shards:05}.safetensors"
        )
        run += size(name)
    for shard in sorted(set(index.values())):
        safetensors.torch.save_file(
            {n: state[n] for n in names if index[n] == shard}, folder / shard, metadata
        )
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": total}, "weight_map": index}, indent=1) + "\n"
    )


def check_mutations(name, config, state, tensors):
    """Each feature taken away must change the logits by far more than a test's tolerance."""
    model_type = config.model_type
    for change in MUTATIONS[model_type] + EXTRA_MUTATIONS.get(name, []):
        fields = config.to_dict()
        weights = state
        if isinstance(change, dict):
            fields.update(copy.deepcopy(change))
        else:
            weights = dict(state)
            for key in state:
                if key.endswith(change):
                    neutral = 1.0 if "norm" in key and not model_type.startswith("gemma") else 0.0
                    weights[key] = torch.full_like(state[key], neutral)
        fields.pop("model_type")
        changed = load(make_model(AutoConfig.for_model(model_type, **fields)), weights)
        moved = (
            (changed(tensors["input_ids"].long(), use_cache=False).logits - tensors["logits"])
            .abs()
            .max()
            .item()
        )
        print(f"    without {change}: logits move by {moved:.3g}")
        assert moved > 1e-3, f"{name}: {change} cannot be seen in the logits"


def make(name):
    fields, dtype, shards = FAMILIES[name]
    folder = ROOT / name
    folder.mkdir(parents=True, exist_ok=True)
    draw_name = "llama3" if name.startswith("llama3") else name  # its variants share one draw
    config = make_config(fields)
    config.architectures = [type(make_model(config)).__name__]
    for attempt in range(50):  # until no greedy choice is a near tie, and the answer is no loop
        rng = np.random.default_rng([SEED, zlib.crc32(draw_name.encode()), attempt])
        stored = {k: v.to(DTYPES[dtype]) for k, v in draw(make_model(config), rng).items()}
        state = {k: v.float() for k, v in stored.items()}
        model = load(make_model(config), state)
        with torch.no_grad():
            tensors = expected(model, rng)
        if tensors["greedy_gap"].min() > 5e-3 and len(set(tensors["greedy_ids"].tolist())) >= 10:
            break
    else:
        sys.exit(f"{name}: no good draw")
    with torch.no_grad():
        check_mutations(name, config, state, tensors)

    # One key only: several are written in random order, and reruns should give the same bytes.
    metadata = {
        "oracle": json.dumps(dict(VERSIONS, script="tools/oracles/tiny_checkpoints.py", seed=SEED))
    }
    save_weights(folder, stored, shards, {"format": "pt"})
    safetensors.torch.save_file(tensors, folder / "expected.safetensors", metadata)

    config.dtype = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}[dtype]
    with tempfile.TemporaryDirectory() as scratch:
        config.save_pretrained(scratch)
        saved = json.loads(pathlib.Path(scratch, "config.json").read_text())
    old = classic(saved, fields)
    spellings = {"config.json": saved, "config.other.json": old}
    if name in CLASSIC:
        spellings = {"config.json": old, "config.other.json": saved}
    for file, content in spellings.items():
        (folder / file).write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")

    # What was written must load as a checkpoint and give the same numbers, in both spellings.
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        for file in spellings:
            for item in folder.glob("model*"):
                pathlib.Path(scratch, item.name).write_bytes(item.read_bytes())
            pathlib.Path(scratch, "config.json").write_text((folder / file).read_text())
            again = AutoModelForCausalLM.from_pretrained(
                scratch, attn_implementation="eager", dtype=torch.float32
            )
            again.eval()
            assert torch.equal(
                again(tensors["input_ids"].long(), use_cache=False).logits, tensors["logits"]
            ), file

    gaps, ids = tensors["greedy_gap"], tensors["greedy_ids"].tolist()
    summary = {
        "prompt_ids": tensors["prompt_ids"].tolist(),
        "greedy_ids": ids,
        "greedy_smallest_gap": round(float(gaps.min()), 5),
        "logits_std": round(float(tensors["logits"].std()), 4),
        "weights": dtype,
        "attention": "eager",
        "compute": "f32",
        "versions": VERSIONS,
        "seed": [SEED, draw_name, attempt],
    }
    (folder / "expected.json").write_text(json.dumps(summary, separators=(",", ":")) + "\n")
    size = sum(f.stat().st_size for f in folder.iterdir())
    print(
        f"{name}: {size} bytes, logits std {summary['logits_std']}, smallest greedy gap "
        f"{summary['greedy_smallest_gap']}, {len(set(ids))} different ids of {STEPS}"
    )
    assert size < 500_000


if __name__ == "__main__":
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    for family in sys.argv[1:] or FAMILIES:
        make(family)
