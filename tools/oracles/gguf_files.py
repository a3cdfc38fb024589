"""What the gguf package reads from real files: shapes, metadata and dequantised values.

    pip install gguf==0.19.0 numpy==2.4.6
    python tools/oracles/gguf_files.py tests/goldens/gguf_files.json FILE.gguf...

Per file: the number of tensors; of the smallest tensor of each type its shape and 16 values spread
over it; per type the number of tensors and "bit_sum", the sum modulo 2^64 of the bit patterns of
all dequantised float32 values, which pins every value exactly. Tensors of more than 2^25 elements
are left out of the sums.
"""

import json
import sys
from pathlib import Path

import gguf
import numpy as np

LARGEST_SUMMED = 1 << 25


def dequantize(tensor):
    return np.ascontiguousarray(gguf.quants.dequantize(tensor.data, tensor.tensor_type), np.float32)


def describe(path):
    reader = gguf.GGUFReader(path)
    types = {}
    samples = []
    for tensor in sorted(reader.tensors, key=lambda t: (t.n_elements, t.name)):
        values = dequantize(tensor)
        kind = types.setdefault(tensor.tensor_type.name, {"tensors": 0, "bit_sum": 0})
        if kind["tensors"] == 0:
            picks = np.linspace(0, values.size - 1, 16).astype(np.int64)
            samples.append(
                {
                    "name": tensor.name,
                    "shape": list(values.shape),
                    "index": picks.tolist(),
                    "value": [float(v) for v in values.reshape(-1)[picks]],
                }
            )
        kind["tensors"] += 1
        if values.size <= LARGEST_SUMMED:
            bits = int(values.view(np.uint32).sum(dtype=np.uint64))
            kind["bit_sum"] = (kind["bit_sum"] + bits) % (1 << 64)

    field = lambda key: reader.fields[key].contents()
    tokens = field("tokenizer.ggml.tokens")
    return {
        "tensors": len(reader.tensors),
        "architecture": field("general.architecture"),
        "block_count": field(field("general.architecture") + ".block_count"),
        "eos_token_id": field("tokenizer.ggml.eos_token_id"),
        "add_bos_token": field("tokenizer.ggml.add_bos_token"),
        "rms_epsilon": field(
            field("general.architecture") + ".attention.layer_norm_rms_epsilon"
        ),
        "tokens": len(tokens),
        "token_300": tokens[300],
        "token_type_sum": sum(field("tokenizer.ggml.token_type")),
        "types": types,
        "samples": samples,
    }


def main(out, paths):
    files = {Path(path).name: describe(path) for path in paths}
    Path(out).write_text(json.dumps(files) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
