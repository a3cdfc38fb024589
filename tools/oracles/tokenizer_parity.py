"""Golden token ids for tests/text/tokenizer_parity_test.cpp.

    pip install tokenizers==0.23.3 sentencepiece==0.2.3 tiktoken==0.14.0 gguf==0.19.0 protobuf
    python tools/oracles/tokenizer_parity.py [name ...]

Writes tests/goldens/tokenizer/: corpus.jsonl, fixtures/*.json (tiny tokenizers trained here) and one
<name>.json for each vocabulary that is on this machine (tools/fetch_test_data brings them). Of each
golden the first strings have their full ids, every string has the FNV-1a hash of its ids:
  plain   special tokens are text       special  special tokens are parsed, and added around the text
  decode  hash of the decoded text of the plain ids
"""

import base64
import json
import os
import pathlib
import sys

import tokenizer_corpus

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "tests/goldens/tokenizer"
CACHE = pathlib.Path(os.environ.get("TESSERA_CACHE", pathlib.Path.home() / ".cache/tessera"))
VOCABS = pathlib.Path(os.environ.get("TESSERA_TEST_VOCABS", CACHE / "vocabs"))
SHARED = pathlib.Path(os.environ.get("TESSERA_TEST_DATA", ROOT.parent / "shared/data"))
FULL = 200  # strings whose ids are kept whole

GPT2_PATTERN = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
QWEN2_PATTERN = (r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"""
                 r"""| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+""")
QWEN_SPECIAL = {"<|endoftext|>": 151643, "<|im_start|>": 151644, "<|im_end|>": 151645}


def fnv1a(data):
    value = 0x811C9DC5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return f"{value:08x}"


def hash_ids(ids):
    return fnv1a(b"".join(int(i).to_bytes(4, "little") for i in ids))


def write_golden(name, oracle, encode_plain, encode_special, decode, corpus):
    """encode_special may be None when the oracle cannot parse special tokens."""
    plain = [list(encode_plain(t)) for t in corpus]
    golden = {
        "oracle": oracle,
        "plain_ids": plain[:FULL],
        "plain": "".join(map(hash_ids, plain)),
        "decode": "".join(fnv1a(decode(ids).encode()) for ids in plain),
    }
    if encode_special:
        golden["special"] = "".join(hash_ids(encode_special(t)) for t in corpus)
    text = json.dumps(golden, separators=(",", ":"))
    (OUT / f"{name}.json").write_text(text + "\n")
    print(f"{name}: {len(text) / 1e3:.0f} kB, {sum(map(len, plain))} ids, {oracle}")


def from_tokenizers(name, tokenizer, corpus):
    import tokenizers

    def plain(text):
        tokenizer.encode_special_tokens = True
        return tokenizer.encode(text, add_special_tokens=False).ids

    def special(text):
        tokenizer.encode_special_tokens = False
        return tokenizer.encode(text, add_special_tokens=True).ids

    def decode(ids):
        return tokenizer.decode(ids, skip_special_tokens=False)

    write_golden(name, f"tokenizers {tokenizers.__version__}", plain, special, decode, corpus)


def from_sentencepiece(name, processor, corpus):
    import sentencepiece

    write_golden(name, f"sentencepiece {sentencepiece.__version__}",
                 lambda text: processor.encode(text), None,
                 lambda ids: processor.decode(ids) if ids else "", corpus)


def from_tiktoken(name, encoding, corpus):
    import tiktoken

    def plain(text):
        return encoding.encode(text, disallowed_special=())

    def special(text):
        return encoding.encode(text, allowed_special="all")

    write_golden(name, f"tiktoken {tiktoken.__version__}", plain, special, encoding.decode, corpus)


def gguf_fields(path):
    from gguf import GGUFReader

    reader = GGUFReader(path)
    return {key[len("tokenizer.ggml."):]: field.contents()
            for key, field in reader.fields.items() if key.startswith("tokenizer.ggml.")}


def sentencepiece_from_gguf(path):
    """The SentencePiece model that the metadata came from."""
    import sentencepiece
    from sentencepiece import sentencepiece_model_pb2 as pb

    fields = gguf_fields(path)
    proto = pb.ModelProto()
    for text, score, kind in zip(fields["tokens"], fields["scores"], fields["token_type"]):
        piece = proto.pieces.add()
        # GGUF writes user-defined runs of U+2581 as spaces.
        piece.piece = text.replace(" ", "▁") if kind == 4 else text
        piece.score = score
        piece.type = kind
    proto.trainer_spec.model_type = 2
    proto.trainer_spec.byte_fallback = True
    proto.trainer_spec.unk_id = fields["unknown_token_id"]
    proto.trainer_spec.bos_id = fields["bos_token_id"]
    proto.trainer_spec.eos_id = fields["eos_token_id"]
    proto.trainer_spec.pad_id = fields.get("padding_token_id", -1)
    proto.normalizer_spec.name = "identity"
    proto.normalizer_spec.add_dummy_prefix = fields["add_space_prefix"]
    proto.normalizer_spec.remove_extra_whitespaces = False
    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(proto.SerializeToString())
    return processor


def smollm2(corpus):
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    fields = gguf_fields(CACHE / "models/SmolLM2-135M-Instruct.Q4_1.gguf")
    vocab = {text: i for i, text in enumerate(fields["tokens"])}
    merges = [tuple(m.split(" ")) for m in fields["merges"]]
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False)
                                  for t, kind in zip(fields["tokens"], fields["token_type"]) if kind == 3])
    from_tokenizers("smollm2", tokenizer, corpus)


def gemma3(corpus):
    from_sentencepiece("gemma3", sentencepiece_from_gguf(CACHE / "models/gemma-3-270m.Q4_K_M.gguf"), corpus)


def stories260k(corpus):
    from_sentencepiece("stories260k", sentencepiece_from_gguf(SHARED / "stories260K.gguf"), corpus)


def mistral_v1(corpus):
    import sentencepiece

    from_sentencepiece("mistral_v1", sentencepiece.SentencePieceProcessor(
        model_file=str(VOCABS / "mistral_v1.model")), corpus)


def mistral_v3(corpus):
    import sentencepiece

    from_sentencepiece("mistral_v3", sentencepiece.SentencePieceProcessor(
        model_file=str(VOCABS / "mistral_v3.model")), corpus)


def read_ranks(path):
    lines = (line.split() for line in path.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def gpt2(corpus):
    import tiktoken

    encoding = tiktoken.Encoding("gpt2", pat_str=GPT2_PATTERN, mergeable_ranks=read_ranks(VOCABS / "gpt2.tiktoken"),
                                 special_tokens={"<|endoftext|>": 50256})
    from_tiktoken("gpt2", encoding, corpus)


def qwen(corpus):
    import tiktoken

    encoding = tiktoken.Encoding("qwen", pat_str=QWEN2_PATTERN, mergeable_ranks=read_ranks(VOCABS / "qwen.tiktoken"),
                                 special_tokens=QWEN_SPECIAL)
    from_tiktoken("qwen", encoding, corpus)


def tekken(corpus):
    import tiktoken

    data = json.loads((VOCABS / "tekken_240911.json").read_text())
    specials = data["config"]["default_num_special_tokens"]
    size = data["config"]["default_vocab_size"] - specials
    ranks = {base64.b64decode(v["token_bytes"]): v["rank"] for v in data["vocab"][:size]}
    encoding = tiktoken.Encoding("tekken", pat_str=data["config"]["pattern"], mergeable_ranks=ranks,
                                 special_tokens={})
    write_golden("tekken", f"tiktoken {tiktoken.__version__}",
                 lambda text: [i + specials for i in encoding.encode(text)], None,
                 lambda ids: encoding.decode([i - specials for i in ids]), corpus)


def deepseek_v3(corpus):
    from tokenizers import Tokenizer

    from_tokenizers("deepseek_v3", Tokenizer.from_file(str(VOCABS / "deepseek_v3/tokenizer.json")), corpus)


def fixtures(corpus):
    import tokenizer_fixtures

    tokenizer_fixtures.write_all(OUT / "fixtures")
    from tokenizers import Tokenizer

    for path in sorted((OUT / "fixtures").glob("*.json")):
        from_tokenizers(path.stem, Tokenizer.from_file(str(path)), corpus)


def parts(corpus):
    import tokenizer_fixtures

    (OUT / "parts.json").write_text(tokenizer_fixtures.parts_golden(corpus))


ALL = [fixtures, parts, smollm2, gemma3, stories260k, mistral_v1, mistral_v3, gpt2, qwen, tekken, deepseek_v3]


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    corpus = tokenizer_corpus.build()
    lines = [json.dumps(text, ensure_ascii=False) for text in corpus]
    (OUT / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    print(f"corpus: {len(corpus)} strings, {(OUT / 'corpus.jsonl').stat().st_size / 1e3:.0f} kB")
    for make in ALL:
        if len(sys.argv) > 1 and make.__name__ not in sys.argv[1:]:
            continue
        try:
            make(corpus)
        except FileNotFoundError as error:
            print(f"{make.__name__}: skipped, {error.filename} is not here")


if __name__ == "__main__":
    main()
