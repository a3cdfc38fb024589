#!/usr/bin/env python3
"""Greedy continuations of the two real GGUF models: tests/goldens/greedy/{smollm2,gemma3}.json.

The numbers are transformers' (eager attention) over weights dequantised to f32, so they are those
of the stored values themselves, with no rounding of activations. What could go wrong is checked:
  * weights: every tensor is also dequantised here with the gguf package and put in place by our own
    reading of the format (q and k rows of llama are stored permuted for interleaved rope, Gemma's
    norm weights are stored plus one); transformers' state must be the same bits;
  * prompt ids: SmolLM2's come from a `tokenizers` BPE built here from the file's vocabulary and
    merges with the pre-tokenizer that "smollm" names, Gemma's from `sentencepiece` with a model
    built here from the file's pieces, scores and types. llama.cpp and transformers' own conversion
    are compared with them. (transformers 5.24 drops the digit split of "smollm", so its ids differ
    where blanks precede a digit.)
  * ids: each continuation is confirmed by one pass without cache and padding, and llama.cpp scores
    it too: with the file as it is, where it rounds activations to 8 bits and so may leave our path
    where two logits are close, and with the same values as f32, where it should not.

Needs the models (fetch_models.py), about 5 GB of memory, and some minutes. llama-cpp-python is optional.

Each prompt: id, kind ("chat" or "raw"), messages or text, rendered (the text that is tokenised),
prompt_ids (with BOS where the model wants one), ids (the end-of-sequence id included if it came),
stop ("eos" or "length"), and per step top2 = [best logit, second-best logit, second-best id].
llama_cpp and llama_cpp_f32 (the same model rewritten with f32 tensors) say where llama.cpp, fed with
our ids, would choose otherwise: other = [[step, its id]], largest_gap = our largest best-minus-second
at such a step, off = largest difference of the chosen id's logit; prompt_ids only if they differ.

Rerun: python tools/oracles/greedy_gguf.py [smollm2] [gemma3] [check]
"check" leaves the goldens as they are and repeats only the comparison with llama.cpp.
"""

import gc
import importlib.metadata
import json
import os
import pathlib
import sys
import tempfile

import gguf
import jinja2
import jinja2.sandbox
import numpy as np
import sentencepiece
import sentencepiece.sentencepiece_model_pb2 as sp_model
import tokenizers
import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

ROOT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "greedy"
MODELS = pathlib.Path(os.environ.get("TESSERA_CACHE", "~/.cache/tessera")).expanduser() / "models"
STEPS = 64
THREADS = 1  # one order of summation, and no spinning where the machine is shared


def user(text, **more):
    return dict(messages=[{"role": "user", "content": text}], **more)


def long_text():
    """About 1,500 tokens in which no sentence comes twice."""
    people = [
        "miller",
        "gardener",
        "ferryman",
        "teacher",
        "baker",
        "carpenter",
        "shepherd",
        "printer",
    ]
    places = [
        "the old bridge",
        "a quiet harbour",
        "the market square",
        "the north gate",
        "a field of rye",
    ]
    things = [
        "a brass key",
        "three letters",
        "a jar of honey",
        "an unfinished map",
        "a lantern",
        "a grey coat",
        "two apples",
    ]
    out = []
    for i in range(88):
        out.append(
            f"On day {i + 1} the {people[i % 8]} walked to {places[i % 5]} and found {things[i % 7]}."
        )
        if i % 11 == 10:
            out.append("\n\n")
    return " ".join(out).replace("\n\n ", "\n\n")


LONG_SYSTEM = (
    "You are the night clerk of a small railway hotel. You answer in at most two sentences. You know the timetable: "
    "the first train leaves at 5:42, the second at 6:10, and after that one every half hour until 22:40. Breakfast is "
    "from six to nine in the room beside the stairs. The key to the luggage room hangs behind the desk and is handed "
    "out against a signature. Guests who ask for a quiet room get number 7 or number 12. You never promise what you "
    "cannot know, such as the weather, and you say so politely. If somebody asks for a doctor, give the number on the "
    "card beside the telephone, and offer to call. Prices are in the folder; do not quote them from memory."
)

SMOLLM2 = {
    "english": user("Explain in two sentences why the sky is blue."),
    "python": user(
        "Write a Python function that returns the n-th Fibonacci number without recursion."
    ),
    "cpp": user(
        "What does this print?\n```cpp\n#include <iostream>\nint main() {\n    for (int i = 0; i < 3; ++i) "
        "std::cout << i * i << ' ';\n}\n```"
    ),
    "json": user(
        'Turn this into a JSON object with the keys "name" and "age": Anna is 31 years old.'
    ),
    "german": user("Nenne drei größere Städte in Süddeutschland und sage, wofür sie bekannt sind."),
    "chinese": user("请用一句话介绍长城。"),
    "japanese": user("東京で一番有名な場所はどこですか?"),
    "arabic": user("ما هي عاصمة مصر؟"),
    "emoji": user("What do these mean? 🐢🌊🎉 👩‍👩‍👧‍👦 🇩🇪"),
    "math": user(
        "A train covers 180 km in 2.5 hours. What is its average speed in km/h? Show the steps."
    ),
    "list": user("List five things to pack for a day in the mountains.\n- water\n- "),
    "empty_system": dict(
        messages=[{"role": "system", "content": ""}, {"role": "user", "content": "Who are you?"}]
    ),
    "long_system": dict(
        messages=[
            {"role": "system", "content": LONG_SYSTEM},
            {"role": "user", "content": "When does the first train leave, and is there coffee?"},
        ]
    ),
    "two_turns": dict(
        messages=[
            {"role": "user", "content": "My cat is called Pixel."},
            {"role": "assistant", "content": "What a nice name for a cat!"},
            {"role": "user", "content": "What is my cat called?"},
        ]
    ),
    "whitespace": user("  \n\n\tTrim this:   a  b\t\tc \r\n  d   \n\n\n"),
    "single_char": user("?"),
    "digits": user("Add  12 and   3456.  Is 007 a number?  1/2 of 10 %"),
    "empty_user": user(""),
    "no_generation_prompt": user("Tell me a joke about a duck.", add_generation_prompt=False),
    "raw_story": dict(text="Once upon a time, in a village at the edge of a forest, there lived a"),
    "raw_code": dict(
        text='def read_lines(path):\n    """Return the lines of a file, without line ends."""\n    '
    ),
    "raw_long": dict(text=long_text() + " On day 89 the"),
    "raw_single_char": dict(text="A"),
    "raw_mixed": dict(
        text="English, deutsch (ß, ü), 中文, русский, हिन्दी, ไทย, עברית: all of these are"
    ),
}

GEMMA3 = {
    "english": dict(text="The three most important things to know about bees are"),
    "story": dict(text="Once upon a time, in a village at the edge of a forest, there lived a"),
    "python": dict(text='def fibonacci(n):\n    """Return the n-th Fibonacci number."""\n    '),
    "cpp": dict(
        text="#include <vector>\n#include <algorithm>\n\n// Returns the median of the values.\ndouble median("
    ),
    "json": dict(
        text='{\n  "name": "Anna",\n  "age": 31,\n  "languages": ["de", "en"],\n  "address": {\n    "'
    ),
    "html": dict(text="<table>\n  <tr><td>1</td><td>one</td></tr>\n  <tr><td>2</td><td>"),
    "german": dict(text="Die größten Städte Süddeutschlands sind"),
    "french": dict(text="L'été dernier, nous sommes allés à la mer et"),
    "chinese": dict(text="长城是中国古代"),
    "japanese": dict(text="東京で一番有名な場所は"),
    "arabic": dict(text="عاصمة مصر هي"),
    "russian": dict(text="Столица России -"),
    "emoji": dict(text="🐢🌊🎉 👩‍👩‍👧‍👦 🇩🇪 The meaning of these emoji is"),
    "math": dict(
        text="Question: A train covers 180 km in 2.5 hours. What is its average speed?\nAnswer: 180 / 2.5 ="
    ),
    "digits": dict(text="0 1 2 3 5 8 13 21 34 55 89 144"),
    "list": dict(text="Packing list for a day in the mountains:\n- water\n- map\n- "),
    "dialogue": dict(
        text="Q: What is the capital of France?\nA: Paris\nQ: What is the capital of Italy?\nA:"
    ),
    "whitespace": dict(text="  \n\n\tTrim this:   a  b\t\tc \r\n  d   \n\n\n"),
    "newlines": dict(text="one\n\ntwo\n\n\nthree\n\n\n\nfour\n"),
    "single_char": dict(text="A"),
    "trailing_space": dict(text="The answer is "),
    "empty": dict(text=""),
    "bytes": dict(text="Rare: \U00012000 \U0001f9ff\u200d \ufeff\u0001 ǅ ﬃ é e\u0301 — then"),
    "long": dict(text=long_text() + " On day 89 the"),
}

MODELS_TO_RUN = {
    "smollm2": ("SmolLM2-135M-Instruct.Q4_1.gguf", SMOLLM2),
    "gemma3": ("gemma-3-270m.Q4_K_M.gguf", GEMMA3),
}


class File:
    """A GGUF file read with the gguf package alone."""

    def __init__(self, path):
        self.reader = gguf.GGUFReader(path)
        self.architecture = self.get("general.architecture")
        self.tokens = self.get("tokenizer.ggml.tokens")
        self.types = self.get("tokenizer.ggml.token_type")
        self.eos = self.get("tokenizer.ggml.eos_token_id")

    def get(self, key):
        field = self.reader.fields.get(key)
        return None if field is None else field.contents()

    def state(self):
        """HF names to f32 tensors."""
        names = {"token_embd": "embed_tokens", "output_norm": "norm"}
        inner = {
            "attn_norm": "input_layernorm",
            "attn_q": "self_attn.q_proj",
            "attn_k": "self_attn.k_proj",
            "attn_v": "self_attn.v_proj",
            "attn_output": "self_attn.o_proj",
            "attn_q_norm": "self_attn.q_norm",
            "attn_k_norm": "self_attn.k_norm",
            "ffn_gate": "mlp.gate_proj",
            "ffn_up": "mlp.up_proj",
            "ffn_down": "mlp.down_proj",
            "ffn_norm": (
                "post_attention_layernorm"
                if self.architecture == "llama"
                else "pre_feedforward_layernorm"
            ),
            "post_attention_norm": "post_attention_layernorm",
            "post_ffw_norm": "post_feedforward_layernorm",
        }
        out = {}
        for tensor in self.reader.tensors:
            stem, suffix = tensor.name.rsplit(".", 1)
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
            if stem.startswith("blk."):
                _, layer, part = stem.split(".")
                name = f"model.layers.{layer}.{inner[part]}.{suffix}"
            else:
                part, name = stem, f"model.{names[stem]}.{suffix}"
            if self.architecture == "llama" and part in ("attn_q", "attn_k"):
                heads = self.get("llama.attention.head_count" + ("_kv" if part == "attn_k" else ""))
                rows, columns = values.shape
                half = rows // heads // 2
                # stored order within a head: 0, half, 1, half+1, ...
                values = (
                    values.reshape(heads, half, 2, columns).swapaxes(1, 2).reshape(rows, columns)
                )
            if self.architecture == "gemma3" and part.endswith("norm"):
                values = values - np.float32(1)
            out[name] = torch.from_numpy(np.ascontiguousarray(values))
        return out


def bpe_encoder(file):
    """SmolLM2: byte-level BPE, each digit alone, then the GPT-2 split."""
    assert file.get("tokenizer.ggml.pre") == "smollm"
    merges = [tuple(m.split(" ")) for m in file.get("tokenizer.ggml.merges")]
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.BPE({t: i for i, t in enumerate(file.tokens)}, merges)
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Digits(individual_digits=True),
            tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(
        [t for t, kind in zip(file.tokens, file.types) if kind == gguf.TokenType.CONTROL]
    )
    return lambda text: tokenizer.encode(text).ids, lambda ids: tokenizer.decode(
        ids, skip_special_tokens=False
    )


def sentencepiece_encoder(file):
    """Gemma: SentencePiece BPE with byte fallback; a BOS in front."""
    model = sp_model.ModelProto()
    model.trainer_spec.model_type = sp_model.TrainerSpec.BPE
    model.trainer_spec.byte_fallback = True
    model.trainer_spec.vocab_size = len(file.tokens)
    model.trainer_spec.unk_id = file.get("tokenizer.ggml.unknown_token_id")
    model.trainer_spec.bos_id = file.get("tokenizer.ggml.bos_token_id")
    model.trainer_spec.eos_id = file.eos
    model.trainer_spec.pad_id = file.get("tokenizer.ggml.padding_token_id")
    model.normalizer_spec.name = "identity"
    model.normalizer_spec.add_dummy_prefix = bool(file.get("tokenizer.ggml.add_space_prefix"))
    model.normalizer_spec.remove_extra_whitespaces = False
    for token, score, kind in zip(file.tokens, file.get("tokenizer.ggml.scores"), file.types):
        # the numbers of the types are SentencePiece's own
        model.pieces.add(
            piece=token.replace(" ", "\u2581") if kind == gguf.TokenType.USER_DEFINED else token,
            score=score,
            type=int(kind),
        )
    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(model.SerializeToString())
    return (
        lambda text: [model.trainer_spec.bos_id] + processor.EncodeAsIds(text),
        processor.DecodeIds,
    )


def render(template, prompt):
    if "text" in prompt:
        return prompt["text"]
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    return env.from_string(template).render(
        messages=prompt["messages"], add_generation_prompt=prompt.get("add_generation_prompt", True)
    )


@torch.no_grad()
def guess(model, prompts, eos):
    """Continuations of all prompts at once, padded on the left: quick, not yet trusted."""
    longest = max(map(len, prompts))
    ids = torch.tensor([[0] * (longest - len(p)) + p for p in prompts])
    mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p in prompts])
    settings = transformers.GenerationConfig(
        do_sample=False, max_new_tokens=STEPS, eos_token_id=eos, pad_token_id=0
    )
    rows = model.generate(ids, attention_mask=mask, generation_config=settings)[
        :, longest:
    ].tolist()
    return [row[: row.index(eos) + 1] if eos in row else row for row in rows]


@torch.no_grad()
def confirm(model, prompt_ids, ids, eos):
    """One pass over prompt and continuation, with no padding and no cache. Where each id is the best after
    all that is before it, the continuation is the greedy one. Otherwise the rest is generated anew.
    """
    while True:
        feed = torch.tensor([prompt_ids + ids[:-1]])
        logits = model(feed, use_cache=False, logits_to_keep=len(ids)).logits[0]
        best = torch.topk(logits, 2)
        top2 = [
            [round(float(a), 5), round(float(b), 5), int(i)]
            for (a, b), i in zip(best.values, best.indices[:, 1])
        ]
        chosen = best.indices[:, 0].tolist()
        same = first_difference(chosen, ids)
        if same == len(ids) and (len(ids) == STEPS or ids[-1] == eos):
            return ids, top2
        print(f"    the guess was wrong at step {same}")
        ids = chosen[: same + 1]
        cache, feed = None, prompt_ids + ids
        while len(ids) < STEPS and ids[-1] != eos:
            out = model(torch.tensor([feed]), cache=cache, use_cache=True, logits_to_keep=1)
            cache = out.cache
            feed = [int(out.logits[0, -1].argmax())]
            ids = ids + feed


def greedy_file(name):
    return ROOT / f"{name}.json"


def write(name, header, results):
    """One prompt a line."""
    dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = ",\n".join(dump(r) for r in results)
    ROOT.mkdir(parents=True, exist_ok=True)
    text = dump(header)[:-1] + ',"prompts":[\n' + lines + "\n]}\n"
    greedy_file(name).write_text(text, encoding="utf-8")
    print(f"{greedy_file(name).name}: {greedy_file(name).stat().st_size} bytes")


def run(name):
    file_name, prompts = MODELS_TO_RUN[name]
    file = File(MODELS / file_name)
    encode, decode = (bpe_encoder if name == "smollm2" else sentencepiece_encoder)(file)
    template = file.get("tokenizer.chat_template")
    hf_tokenizer = AutoTokenizer.from_pretrained(MODELS, gguf_file=file_name)

    model = AutoModelForCausalLM.from_pretrained(
        MODELS, gguf_file=file_name, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    assert model.config._attn_implementation == "eager"
    state, loaded = file.state(), model.state_dict()
    assert set(loaded) - set(state) <= {"lm_head.weight"} and set(state) <= set(loaded)
    different = [k for k in state if not torch.equal(state[k], loaded[k])]
    assert not different, f"transformers loads otherwise than we read the file: {different[:5]}"
    assert torch.equal(loaded["lm_head.weight"], loaded["model.embed_tokens.weight"])
    print(f"{name}: {len(state)} tensors equal to our own dequantisation")
    del state, loaded
    gc.collect()

    rendered, prompt_ids = {}, {}
    for key, prompt in prompts.items():
        text = rendered[key] = render(template, prompt)
        if "messages" in prompt:
            theirs = hf_tokenizer.apply_chat_template(
                prompt["messages"],
                tokenize=False,
                add_generation_prompt=prompt.get("add_generation_prompt", True),
            )
            assert theirs == text, (theirs, text)
        prompt_ids[key] = encode(text)
        if hf_tokenizer.encode(text) != prompt_ids[key]:
            print(f"  {key}: transformers' conversion of the tokenizer gives other ids")
    long = [key for key in prompts if len(prompt_ids[key]) > 256]
    short = [key for key in prompts if key not in long]
    guesses = {}
    for group in (short, *([key] for key in long)):
        guesses.update(zip(group, guess(model, [prompt_ids[key] for key in group], file.eos)))

    results = []
    for key, prompt in prompts.items():
        ids, top2 = confirm(model, prompt_ids[key], guesses[key], file.eos)
        kind = "chat" if "messages" in prompt else "raw"
        entry = dict(id=key, kind=kind, **prompt)
        if kind == "chat":
            entry["rendered"] = rendered[key]
        entry.update(
            prompt_ids=prompt_ids[key], ids=ids, stop="eos" if ids[-1] == file.eos else "length"
        )
        entry.update(top2=top2, decoded=decode(ids))
        results.append(entry)
        gap = min(a - b for a, b, _ in top2)
        print(
            f"  {key}: {len(prompt_ids[key])} + {len(ids)} ids, smallest gap {gap:.4f}",
            flush=True,
        )

    versions = {
        "torch": torch.__version__.split("+")[0],
        "transformers": transformers.__version__,
        "tokenizers": tokenizers.__version__,
        "sentencepiece": sentencepiece.__version__,
        "gguf": importlib.metadata.version("gguf"),
    }
    header = {
        "model": file_name,
        "sha256": checksum(file_name),
        "max_new_tokens": STEPS,
        "compute": "f32",
        "eos": file.eos,
        "versions": versions,
    }
    write(name, header, results)


def rewrite_as_f32(source, target):
    """The same model with every tensor dequantised."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key in ("general.architecture", "general.file_type"):
            continue
        inner = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(key, field.contents(), field.types[0], inner)
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        writer.add_tensor(tensor.name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def cross_check(name):
    """Adds to each prompt where llama.cpp, given our ids so far, would choose another one."""
    try:
        import llama_cpp
    except ImportError:
        print("llama-cpp-python is not installed: no cross-check with llama.cpp")
        return
    header = json.loads(greedy_file(name).read_text(encoding="utf-8"))
    results = header.pop("prompts")
    header["versions"]["llama-cpp-python"] = llama_cpp.__version__
    with tempfile.TemporaryDirectory() as scratch:
        wide = pathlib.Path(scratch, "f32.gguf")
        rewrite_as_f32(MODELS / header["model"], wide)
        for key, path in (("llama_cpp", MODELS / header["model"]), ("llama_cpp_f32", wide)):
            llama = llama_cpp.Llama(
                str(path),
                n_ctx=max(len(e["prompt_ids"]) + len(e["ids"]) for e in results),
                n_threads=THREADS,
                n_threads_batch=THREADS,
                type_k=llama_cpp.GGML_TYPE_F32,
                type_v=llama_cpp.GGML_TYPE_F32,
                logits_all=True,
                verbose=False,
            )
            for entry in results:
                entry[key] = compare(llama, entry, name == "gemma3")
                print(f"  {key} {entry['id']}: {entry[key]}", flush=True)
            del llama
            gc.collect()
    write(name, header, results)


def compare(llama, entry, add_bos):
    text, chat = entry.get("rendered", entry.get("text")), entry["kind"] == "chat"
    prompt_ids, ids = entry["prompt_ids"], entry["ids"]
    out = {}
    if llama.tokenize(text.encode(), add_bos=add_bos, special=chat) != prompt_ids:
        out["prompt_ids"] = llama.tokenize(text.encode(), add_bos=add_bos, special=chat)
    llama.reset()
    llama.eval(prompt_ids + ids[:-1])
    rows = llama.scores[len(prompt_ids) - 1 : len(prompt_ids) + len(ids) - 1]
    assert len(rows) == len(ids)
    out["other"] = [
        [step, int(row.argmax())] for step, row in enumerate(rows) if int(row.argmax()) != ids[step]
    ]
    gaps = [entry["top2"][step][0] - entry["top2"][step][1] for step, _ in out["other"]]
    off = [abs(float(row[i]) - best) for row, i, (best, _, _) in zip(rows, ids, entry["top2"])]
    out["largest_gap"] = round(max(gaps, default=0.0), 5)
    out["off"] = round(max(off), 5)
    return out


def first_difference(a, b):
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def checksum(file_name):
    for line in (pathlib.Path(__file__).parent / "models.sha256").read_text().splitlines():
        digest, known = line.split()
        if known == file_name:
            return digest
    raise KeyError(file_name)


if __name__ == "__main__":
    torch.set_num_threads(THREADS)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    words = sys.argv[1:]
    for wanted in [w for w in words if w in MODELS_TO_RUN] or MODELS_TO_RUN:
        if "check" not in words:
            run(wanted)
        cross_check(wanted)
