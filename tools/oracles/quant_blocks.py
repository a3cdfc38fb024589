"""Golden values of the packed weight formats: random blocks expanded by the gguf package.

    pip install gguf==0.19.0 numpy==2.4.6 safetensors==0.8.0
    python tools/oracles/quant_blocks.py tests/goldens/quant_blocks.safetensors

For each format NAME: NAME.blocks, uint8 [blocks, bytes of a block], and NAME.values, float32
[blocks, weights of a block]. Codes and small scales are uniform random bytes. The float16 fields
cycle through ordinary, subnormal, largest, negative, zero, infinite and NaN values.
"""

import sys

import gguf
import numpy as np
from safetensors.numpy import save_file

# Name as Tessera prints it -> (gguf type, byte offsets of the float16 fields, blocks to draw).
FORMATS = {
    "q4_0": (gguf.GGMLQuantizationType.Q4_0, [0], 36),
    "q4_1": (gguf.GGMLQuantizationType.Q4_1, [0, 2], 36),
    "q5_0": (gguf.GGMLQuantizationType.Q5_0, [0], 36),
    "q5_1": (gguf.GGMLQuantizationType.Q5_1, [0, 2], 36),
    "q8_0": (gguf.GGMLQuantizationType.Q8_0, [0], 36),
    "q2_K": (gguf.GGMLQuantizationType.Q2_K, [80, 82], 12),
    "q3_K": (gguf.GGMLQuantizationType.Q3_K, [108], 12),
    "q4_K": (gguf.GGMLQuantizationType.Q4_K, [0, 2], 12),
    "q5_K": (gguf.GGMLQuantizationType.Q5_K, [0, 2], 12),
    "q6_K": (gguf.GGMLQuantizationType.Q6_K, [208], 12),
}
EXTREMES = np.array([0x0000, 0x8000, 0x0001, 0x83FF, 0x7BFF, 0xFBFF, 0x7C00, 0x7E00], np.uint16)


def draw(rng, gguf_type, half_offsets, count):
    """Random blocks whose last third carries the extreme scales."""
    block_bytes = gguf.GGML_QUANT_SIZES[gguf_type][1]
    blocks = rng.integers(0, 256, (count, block_bytes), np.uint8)
    for column, offset in enumerate(half_offsets):
        halves = rng.normal(0, 0.05, count).astype(np.float16).view(np.uint16)
        tail = count // 3 * 2
        picks = (np.arange(count - tail) * (2 * column + 1)) % len(EXTREMES)
        halves[tail:] = EXTREMES[picks]
        blocks[:, offset : offset + 2] = halves[:, None].view(np.uint8)
    return blocks


def main(path):
    rng = np.random.default_rng(20240607)
    tensors = {}
    for name, (gguf_type, half_offsets, count) in FORMATS.items():
        blocks = draw(rng, gguf_type, half_offsets, count)
        with np.errstate(all="ignore"):
            values = gguf.quants.dequantize(blocks, gguf_type)
        tensors[f"{name}.blocks"] = blocks
        tensors[f"{name}.values"] = values
    save_file(tensors, path, metadata={"made_by": "tools/oracles/quant_blocks.py, gguf 0.19.0"})


if __name__ == "__main__":
    main(sys.argv[1])
