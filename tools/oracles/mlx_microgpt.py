#!/usr/bin/env python3
"""The mirror of examples/microgpt.cpp in Python with MLX: prints the losses of its first steps.

examples/CMakeLists.txt holds the example to the loss of step 0.

Rerun: python tools/oracles/mlx_microgpt.py [STEPS]
"""

import pathlib
import sys

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
from mlx.utils import tree_flatten

mx.set_default_device(mx.cpu)

NAMES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "names.txt"
VOCABULARY, END, CONTEXT, WIDTH, HEADS, BATCH, STEPS = 27, 26, 16, 16, 4, 16, 1000


def normalized(x):
    return mx.fast.rms_norm(x, None, 1e-5)


class MicroGpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(CONTEXT, WIDTH)
        self.attention = nn.MultiHeadAttention(WIDTH, HEADS)
        self.up = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.down = nn.Linear(4 * WIDTH, WIDTH, bias=False)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def __call__(self, ids):
        length = ids.shape[1]
        mask = nn.MultiHeadAttention.create_additive_causal_mask(length)
        x = normalized(self.tokens(ids) + self.positions(mx.arange(length)))
        y = normalized(x)
        x = x + self.attention(y, y, y, mask)
        return self.head(x + self.down(nn.relu2(self.up(normalized(x)))))


def row(name):
    letters = [ord(c) - ord("a") for c in name[: CONTEXT - 1]]
    return [END] + letters + [END] * (CONTEXT - len(letters))


rows = mx.array([row(name) for name in NAMES.read_text().split()])
mx.random.seed(42)
model = MicroGpt()
print(len(rows), "names,", sum(v.size for _, v in tree_flatten(model.parameters())), "parameters")


def loss_of(batch):
    ids, following = batch[:, :-1], batch[:, 1:]
    inside = mx.logical_or(ids != END, mx.arange(CONTEXT) == 0)
    each = nn.losses.cross_entropy(model(ids), following)
    return (each * inside).sum() / inside.sum()


optimizer = optim.Adam(optim.linear_schedule(0.01, 0.0, STEPS), betas=[0.85, 0.99], bias_correction=True)
train = nn.value_and_grad(model, loss_of)
steps = int(sys.argv[1]) if len(sys.argv) > 1 else STEPS
for step in range(steps):
    first = step * BATCH % (len(rows) - BATCH + 1)
    loss, gradients = train(rows[first : first + BATCH])
    optimizer.update(model, gradients)
    mx.eval(model.parameters(), optimizer.state, loss)
    if step % 200 == 0 or step < 3:
        print(f"step {step}  loss {loss.item():.6f}")
print(f"loss over all names {loss_of(rows).item():.4f}")
