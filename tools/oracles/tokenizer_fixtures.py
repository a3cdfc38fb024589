"""Tiny tokenizer.json files in the manner of well-known models, and goldens for single components."""

import json

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXT = """The quick brown fox jumps over the lazy dog. They've said it's fine, haven't they? We'll see.
In 1984 the model had 12345 parameters; by 2024 it had 1,234,567,890. Prices: $9.99, 50%, 3.14159.
def forward(self, x):
    return self.linear(x) + self.bias  # the bias
for (int i = 0; i < 100; ++i) { sum += values[i]; }
It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of
foolishness. Der schnelle braune Fuchs springt über den faulen Hund. L'été dernier, à la mer.
Привет, мир! Как дела? 你好，世界。今天天气很好。 こんにちは世界。 안녕하세요 세계.
"""
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")


def special(content, **fields):
    return {"content": content, "single_word": False, "lstrip": False, "rstrip": False,
            "normalized": False, "special": True, **fields}


def train(tokenizer, vocab_size, alphabet=(), specials=()):
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=list(alphabet),
                                  special_tokens=list(specials), show_progress=False)
    tokenizer.train_from_iterator([TEXT] * 3, trainer)
    return json.loads(tokenizer.to_str())


def add_tokens(data, tokens):
    """Gives tokens the ids they have, or the next free ones."""
    vocab = data["model"]["vocab"]
    used = {token["content"]: token["id"] for token in data["added_tokens"]}
    free = max([*vocab.values(), *used.values()]) + 1
    added = []
    for token in tokens:
        number = vocab.get(token["content"], used.get(token["content"]))
        if number is None:
            number, free = free, free + 1
        added.append({"id": number, **token})
    data["added_tokens"] = sorted(added, key=lambda t: t["id"])


def template(token, number):
    return json.loads(processors.TemplateProcessing(
        single=f"{token} $A", pair=f"{token} $A {token} $B", special_tokens=[(token, number)]).__getstate__())


def byte_level(pattern):
    tokenizer = Tokenizer(models.BPE())
    byte = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    tokenizer.pre_tokenizer = byte if pattern is None else pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), "isolated"), byte])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def gpt2():
    data = train(byte_level(None), 700, pre_tokenizers.ByteLevel.alphabet(), ["<|endoftext|>"])
    data["model"]["merges"] = [" ".join(m) for m in data["model"]["merges"]]
    return data


def llama3():
    data = train(byte_level(LLAMA3), 800, pre_tokenizers.ByteLevel.alphabet())
    data["model"]["ignore_merges"] = True
    # A token that no merge leads to: only ignore_merges finds it.
    assert "Ġwisdom" in data["model"]["vocab"]
    data["model"]["merges"] = [m for m in data["model"]["merges"] if "".join(m) != "Ġwisdom"]
    add_tokens(data, [special(t) for t in ("<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>")])
    data["post_processor"] = template("<|begin_of_text|>", data["added_tokens"][0]["id"])
    return data


def qwen2():
    tokenizer = byte_level(QWEN2)
    tokenizer.normalizer = normalizers.NFC()
    data = train(tokenizer, 700, pre_tokenizers.ByteLevel.alphabet())
    add_tokens(data, [special(t) for t in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")]
               + [special("<tool_call>", special=False)])
    return data


def falcon():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Punctuation("contiguous"), pre_tokenizers.ByteLevel(add_prefix_space=True),
        pre_tokenizers.Digits(individual_digits=False),
        pre_tokenizers.Split(Regex("[0-9][0-9][0-9]"), "isolated")])
    tokenizer.decoder = decoders.ByteLevel()
    return train(tokenizer, 600, pre_tokenizers.ByteLevel.alphabet(), ["<|endoftext|>"])


def character_model(vocab_size, specials):
    """A BPE over characters with U+2581 for spaces and all byte tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split("▁", "merged_with_next")
    trained = train(tokenizer, vocab_size)
    order = sorted(trained["model"]["vocab"], key=trained["model"]["vocab"].get)
    tokens = [*specials, *(f"<0x{b:02X}>" for b in range(256)), *order]
    trained["model"]["vocab"] = {token: i for i, token in enumerate(tokens)}
    trained["model"].update(byte_fallback=True, fuse_unk=True, unk_token="<unk>")
    return trained


def gemma():
    data = character_model(500, ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"])
    vocab, merges = data["model"]["vocab"], data["model"]["merges"]
    for run in ("▁▁", "▁▁▁▁", "\n\n", "\n\n\n\n"):
        vocab[run] = len(vocab)
        merges.insert(0 if len(run) == 2 else 2, [run[: len(run) // 2]] * 2)
    data["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    data["pre_tokenizer"] = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious",
                             "invert": False}
    data["decoder"] = {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]}
    add_tokens(data, [special(t) for t in ("<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "<start_of_turn>",
                                           "<end_of_turn>")]
               + [special(t, special=False) for t in ("\n\n", "\n\n\n\n", "▁▁", "▁▁▁▁", "<table>")])
    data["post_processor"] = template("<bos>", vocab["<bos>"])
    return data


def llama2():
    data = character_model(500, ["<unk>", "<s>", "</s>"])
    data["model"]["merges"] = [" ".join(m) for m in data["model"]["merges"]]
    data["normalizer"] = {"type": "Sequence", "normalizers": [
        {"type": "Prepend", "prepend": "▁"},
        {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}
    data["pre_tokenizer"] = None
    data["decoder"] = {"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
    add_tokens(data, [special(t) for t in ("<unk>", "<s>", "</s>")])
    data["post_processor"] = template("<s>", 1)
    return data


def metaspace():
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    return train(tokenizer, 400, specials=["<unk>", "<s>", "</s>"])


def plain_words():
    """Many components at once, an unknown token for each unknown character, added tokens of all kinds."""
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
        normalizers.Replace(Regex("[‘’]"), "'"), normalizers.Strip()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation(), pre_tokenizers.Digits(individual_digits=True)])
    data = train(tokenizer, 350, specials=["[UNK]"])
    add_tokens(data, [special("[UNK]"), special("<mask>", lstrip=True), special("<pad>", rstrip=True),
                      special("user", special=False, single_word=True, normalized=True),
                      special("Tensor", special=False, normalized=True),
                      special("RESUME", special=False, normalized=True)])
    return data


FIXTURES = [gpt2, llama3, qwen2, falcon, gemma, llama2, metaspace, plain_words]


def write_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for make in FIXTURES:
        text = json.dumps(make(), ensure_ascii=False, separators=(",", ":"))
        (folder / f"toy_{make.__name__}.json").write_text(text + "\n")


SPLITS = [("isolated", False), ("removed", False), ("merged_with_previous", False), ("merged_with_next", False),
          ("contiguous", False), ("isolated", True), ("removed", True), ("merged_with_previous", True),
          ("merged_with_next", True), ("contiguous", True)]


def parts_golden(corpus):
    """Each pre-tokenizer and normalizer alone: its JSON, and for every fourth string the hash of what it makes."""
    from tokenizer_parity import fnv1a

    corpus = corpus[::4]

    P, N = pre_tokenizers, normalizers
    pretokenizers = [P.Split(Regex(r"\s+"), b, i) for b, i in SPLITS] + [P.Split(" ", b, i) for b, i in SPLITS]
    pretokenizers += [
        P.Digits(True), P.Digits(False), P.Punctuation(), P.Punctuation("removed"), P.Punctuation("contiguous"),
        P.Punctuation("merged_with_previous"), P.Whitespace(), P.WhitespaceSplit(), P.Metaspace(),
        P.Metaspace(prepend_scheme="never"), P.Metaspace(prepend_scheme="first", split=False),
        P.Split(Regex(r"\w+"), "isolated"), P.Split(Regex(r"\bt"), "isolated"), P.Split(Regex(r"\S+$"), "isolated"),
        P.Split(Regex(r"(?i:st|k|é)"), "isolated"), P.Split(Regex(r"\d{1,3}+"), "isolated"),
        P.Split(Regex(r"\h"), "isolated"), P.Split(Regex(r"[^\S\n]+"), "isolated"),
        P.Split(Regex(r"(?=(\d{3})+(?!\d))"), "isolated"), P.Split(Regex(r"\u0430|\x{4e00}"), "isolated"),
    ]
    all_normalizers = [
        N.NFC(), N.NFD(), N.NFKC(), N.NFKD(), N.Lowercase(), N.StripAccents(), N.Strip(), N.Strip(left=False),
        N.Strip(right=False), N.Prepend("▁"), N.Replace(" ", "▁"), N.Replace(Regex(r"\s{2,}"), " "),
        N.Sequence([N.NFD(), N.StripAccents(), N.Lowercase()]),
    ]

    def config(tokenizer, field):
        return json.loads(tokenizer.to_str())[field]

    golden = {"stride": 4, "pre_tokenizers": [], "normalizers": []}
    for part in pretokenizers:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = part
        made = (("\0|".join(piece for piece, _ in part.pre_tokenize_str(t))).encode() for t in corpus)
        golden["pre_tokenizers"].append(
            {"config": config(tokenizer, "pre_tokenizer"), "hashes": "".join(map(fnv1a, made))})
    for part in all_normalizers:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.normalizer = part
        made = (part.normalize_str(t).encode() for t in corpus)
        golden["normalizers"].append({"config": config(tokenizer, "normalizer"), "hashes": "".join(map(fnv1a, made))})
    return json.dumps(golden, ensure_ascii=False, separators=(",", ":")) + "\n"
