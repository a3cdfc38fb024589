"""The awkward strings that tokenizers are compared on: tests/goldens/tokenizer/corpus.jsonl.

Deterministic on every Python 3: random characters come from Unicode 3.2 (unicodedata.ucd_3_2_0), so
no library's Unicode version can change the answer; newer characters are listed by hand.
"""

import random
from unicodedata import ucd_3_2_0 as ucd

WORDS = (
    "the of and model Tensor kernel running WE'LL we've I'm don't CAN'T it's O'Neill they'd "
    "naïve café Straße ÅNGSTRÖM ǅungla ŒUVRE résumé coöperate fiancée Ελλάδα Привет мир "
    "안녕하세요 日本語 中文字符 ไทย हिन्दी বাংলা தமிழ் עברית العربية فارسی ქართული Հայերեն"
).split()
SPACES = [
    " ", "  ", "   ", "\t", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\v", "\f", "\x1c", "\x1f",
    "\x85", "\xa0", "\u1680", "\u180e", "\u2000", "\u2003", "\u2009", "\u200a", "\u200b", "\u2028",
    "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff", "\u2060",
]
NUMBERS = ["0", "7", "42", "123", "1234", "12345", "1234567890", "3.14", "1,000,000", "1e-9", "0x1F",
           "½", "Ⅷ", "²", "٣٤٥٦", "१२३", "１２３", "𝟘𝟙𝟚", "㊿", "一二三"]
CONTRACTIONS = [a + q + b for a in ("we", "WE", "I", "x1", "")
                for q in ("'", "’") for b in ("s", "S", "ll", "LL", "Ll", "ve", "RE", "d", "m", "t",
                                              "ſ", "all")]
PUNCTUATION = ["...", "?!", "--", "—", "();", "{}", "[[", "//", "/*", "*/", "<|", "|>", "</s>", "<s>",
               "«»", "“”", "、。", "！？", "¿¡", "@user", "#tag", "$9.99", "€5", "%d", "a_b", "__init__",
               "C++", "a/b\\c", "~", "`", "^", "|", "+=", "!=", "->", "=>", "\\n"]
CODE = [
    "def f(x):\n    return x ** 2  # square\n",
    "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}\n",
    "std::vector<std::string> v{\"a\", 'b'};",
    "SELECT * FROM t WHERE id=42;",
    "<div class=\"x\">&nbsp;</div>\r\n",
    "{\"key\": [1, 2, {\"n\": null}], \"t\": true}",
    "\\frac{\\alpha}{\\beta} \\le \\sum_{i=0}^{n}",
    "#!/bin/sh\nset -eu\necho \"$HOME\" | sed 's/\\//_/g'\n",
    "https://example.org/a%20b?q=1&r=%F0%9F%98%B8#frag",
    "    if x:\n        pass\n\n\n    else:\n\t\tpass",
]
EMOJI = ["😸", "👩‍👩‍👧‍👦", "🏳️‍🌈", "👍🏽", "🇫🇷🇩🇪", "1️⃣", "❤️", "🧑🏿‍🚀", "🫠", "☺", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"]
MARKS = ["e\u0301", "\u0301", "a\u0323\u0307", "a\u0307\u0323", "o\u0308\u0304", "n\u0303", "ç", "c\u0327",
         "Å", "A\u030a", "\u212b", "ﬁ", "ﬃ", "Ⅳ", "ｱ", "ﾞ", "각", "\u1100\u1161\u11a8", "\u0e01\u0e33",
         "\u0915\u094d\u0937", "Z\u0351\u036b\u0343\u0363\u0312", "ẛ̣", "\u1e9b\u0323", "ſ", "İ", "ı", "ß", "K"]
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<s>", "</s>", "<unk>", "<pad>", "<bos>",
            "<eos>", "<start_of_turn>", "<end_of_turn>", "<|begin_of_text|>", "<|eot_id|>", "[INST]",
            "[/INST]", "<0x0A>", "<0xE6>", "<｜end▁of▁sentence｜>", "<tool_call>", "<mask>"]
PLANES = [(0x10400, 0x1044F), (0x1D400, 0x1D454), (0x1F300, 0x1F320), (0x20000, 0x20100),
          (0x2F800, 0x2F81D), (0xE0020, 0xE007E), (0xF0000, 0xF0010), (0x100000, 0x100010),
          (0xE000, 0xE010), (0xFFF9, 0xFFFD)]


def build():
    rng = random.Random(7)
    assigned = [c for c in range(0x20, 0x2FFFF)
                if not 0xD800 <= c <= 0xDFFF and ucd.category(chr(c)) not in ("Cn", "Co", "Cs")]
    by_script = [c for c in assigned if c < 0x3000 or 0xF900 <= c < 0x10000]
    cjk = [c for c in assigned if 0x3040 <= c <= 0x9FA5]
    pools = [WORDS, SPACES, NUMBERS, CONTRACTIONS, PUNCTUATION, EMOJI, MARKS]
    texts = []

    def add(text):
        texts.append(text)

    # The named cases first: their full ids are kept, the others only by hash.
    for text in ["WE'LL  pay\t1234567\r\n\r\nok", "a\n\n\nb", "x = 3.14;\n\n", "\u00a0\u00a0x",
                 "\u0663\u0664\u0665\u0666 \u00bd", " \n \n x", "a\x00b", "", " ", "  ", "\n", "▁", "▁▁a",
                 "a ▁b", "e\u0301", "\u00e9", "x\u0085y", "x\u001cy", "\ufeffx", "\u180ex y",
                 "<|im_end|>\n<|im_start|>system\nSay only X<|im_end|>",
                 "Hello, world! How's it going?", "   leading", "trailing   ", "\t\ttabs\t",
                 "ab" * 40, "a" * 700, " " * 300, "\n" * 300, "=" * 200, "0" * 200, "ะ" * 60,
                 "e" + "\u0301" * 50, "\u0301\u0323" * 20, "👨‍👩‍👧" * 8, "\x00" * 20, "�" * 9]:
        add(text)
    for pool in (SPACES, NUMBERS, CONTRACTIONS, PUNCTUATION, CODE, EMOJI, MARKS, SPECIALS):
        for item in pool:
            add(item)
    for special in SPECIALS:
        add("user " + special + " text")
        add(special + special)
        add(" " + special + "\n" + special.upper())
    for first in SPACES:
        for second in rng.sample(SPACES, 6):
            add("a" + first + second + "b" + second + first)
    for low, high in PLANES:
        add("".join(chr(c) for c in range(low, min(high, low + 12))))
        add(" ".join(chr(rng.randint(low, high)) for _ in range(5)))
    while len(texts) < 1000:  # mixtures of everything
        parts = []
        for _ in range(rng.randint(2, 8)):
            parts.append(rng.choice(rng.choice(pools)))
            if rng.random() < 0.5:
                parts.append(rng.choice(SPACES[:9]))
        add("".join(parts))
    while len(texts) < 1250:  # sentences
        words = [rng.choice(WORDS) for _ in range(rng.randint(3, 12))]
        add(rng.choice(["", " ", "\n"]) + " ".join(words) + rng.choice([".", "!", "?\n", "…", " "]))
    while len(texts) < 1550:  # any character of the basic planes
        add("".join(chr(rng.choice(by_script)) for _ in range(rng.randint(1, 14))))
    while len(texts) < 1700:  # neighbours in a script
        start = rng.choice(by_script)
        run = [c for c in range(start, start + 40) if c in by_script or c in cjk]
        add("".join(chr(rng.choice(run)) for _ in range(rng.randint(3, 15))))
    while len(texts) < 1800:
        add("".join(chr(rng.choice(cjk)) for _ in range(rng.randint(1, 10))))
    while len(texts) < 1900:  # control characters and ASCII noise
        add("".join(chr(rng.randint(0, 127)) for _ in range(rng.randint(1, 25))))
    while len(texts) < 2000:  # runs
        add("".join(rng.choice("aA1 \n\t.=-_'xé中") * rng.randint(1, 24)
                    for _ in range(rng.randint(1, 5))))
    while len(texts) < 2100:  # code
        code = rng.choice(CODE)
        cut = rng.randint(0, len(code) - 1)
        add(code[cut:] + rng.choice(SPACES) + rng.choice(CODE)[: rng.randint(1, 30)])
    return texts
