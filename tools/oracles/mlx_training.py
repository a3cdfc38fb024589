#!/usr/bin/env python3
"""Goldens of training from Python MLX (CPU): tests/goldens/nn/training.safetensors.

Three small models, trained for 20 steps each from the parameters of seed 7, the dropout of each step
from seed 100 + step:
  CASE/in.x, CASE/in.y   the batch, the same at every step
  CASE/losses            [20]
  CASE/step.S.NAME       a parameter after step S, for S of 1, 10 and 20

Rerun: python tools/oracles/mlx_training.py
"""

import pathlib

import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from mlx.utils import tree_flatten

mx.set_default_device(mx.cpu)

PATH = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "nn" / "training.safetensors"
RNG = np.random.default_rng(20260106)
STEPS, KEPT = 20, (1, 10, 20)
tensors = {}


def normal(*shape):
    return mx.array(RNG.standard_normal(shape).astype(np.float32))


def train(case, make, optimizer, x, y, max_norm=None):
    mx.random.seed(7)
    model = make()
    model.train()
    tensors[f"{case}/in.x"], tensors[f"{case}/in.y"] = x, y

    def loss(x, y):
        return nn.losses.cross_entropy(model(x), y, reduction="mean")

    step, losses = nn.value_and_grad(model, loss), []
    for i in range(1, STEPS + 1):
        mx.random.seed(100 + i)
        value, gradients = step(x, y)
        if max_norm is not None:
            gradients, _ = optim.clip_grad_norm(gradients, max_norm)
        optimizer.update(model, gradients)
        mx.eval(model.parameters(), optimizer.state)
        losses.append(value)
        if i in KEPT:
            tensors.update({f"{case}/step.{i}.{k}": v for k, v in tree_flatten(model.parameters())})
    tensors[f"{case}/losses"] = mx.stack(losses)
    print(case, [round(v.item(), 4) for v in losses[:: STEPS - 1]])


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.encoder = nn.TransformerEncoder(2, 8, 2, mlp_dims=16, dropout=0.1)

    def __call__(self, ids):
        mask = nn.MultiHeadAttention.create_additive_causal_mask(ids.shape[1])
        return self.embedding.as_linear(self.encoder(self.embedding(ids), mask))


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm(4)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(36, 3)

    def __call__(self, x):
        x = self.pool(nn.relu(self.norm(self.conv(x))))
        return self.head(x.reshape(x.shape[0], -1))


train("mlp", lambda: nn.Sequential(nn.Linear(4, 16), nn.tanh, nn.Linear(16, 3)), optim.AdamW(0.01), normal(32, 4),
      mx.array(RNG.integers(0, 3, 32)))
train("language_model", LanguageModel, optim.Adam(optim.cosine_decay(0.01, 20), eps=1e-6, bias_correction=True),
      mx.array(RNG.integers(0, 11, (4, 6))), mx.array(RNG.integers(0, 11, (4, 6))), max_norm=1.0)
train("conv_net", ConvNet, optim.SGD(0.05, momentum=0.9), normal(6, 6, 6, 2), mx.array(RNG.integers(0, 3, 6)))

mx.save_safetensors(str(PATH), tensors, {"oracle": f"mlx {mx.__version__} cpu, tools/oracles/mlx_training.py"})
print(f"{PATH.stat().st_size} bytes")
