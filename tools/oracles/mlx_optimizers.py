#!/usr/bin/env python3
"""Goldens of optimisers and schedules from Python MLX (CPU): tests/goldens/nn/optimizers.safetensors.

  start/NAME          the parameters before the first step: a vector, a wide and a tall matrix, a kernel
  gradient/NAME       [20, ...], what each of 20 steps gets
  CASE/NAME           [20, ...], the parameter after each step; float16 cases start from the start
                      and the gradients rounded to float16
  schedule/CASE       [40], the learning rate at steps 0 to 39
  clip.I/...          gradients, max_norm, the clipped gradients and the norm

Rerun: python tools/oracles/mlx_optimizers.py
"""

import pathlib

import mlx.core as mx
import mlx.optimizers as optim
import numpy as np

mx.set_default_device(mx.cpu)

PATH = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "nn" / "optimizers.safetensors"
RNG = np.random.default_rng(20260105)
STEPS = 20
SHAPES = {"vector": (3,), "wide": (2, 5), "tall": (4, 2), "kernel": (2, 3, 2)}


def normal(*shape):
    return mx.array(RNG.standard_normal(shape).astype(np.float32))


start = {name: normal(*shape) for name, shape in SHAPES.items()}
gradients = {name: normal(STEPS, *shape) for name, shape in SHAPES.items()}
tensors = {f"start/{n}": v for n, v in start.items()} | {f"gradient/{n}": v for n, v in gradients.items()}


def trajectory(case, optimizer, dtype=mx.float32):
    parameters = {n: v.astype(dtype) for n, v in start.items()}
    history = {n: [] for n in parameters}
    for step in range(STEPS):
        parameters = optimizer.apply_gradients({n: g[step].astype(dtype) for n, g in gradients.items()}, parameters)
        mx.eval(parameters, optimizer.state)
        for n, v in parameters.items():
            history[n].append(v)
    for n, values in history.items():
        tensors[f"{case}/{n}"] = mx.stack(values)


trajectory("sgd", optim.SGD(0.1))
trajectory("sgd_momentum", optim.SGD(0.1, momentum=0.9, weight_decay=0.01))
trajectory("sgd_dampening", optim.SGD(0.1, momentum=0.8, dampening=0.3))
trajectory("sgd_nesterov", optim.SGD(0.1, momentum=0.9, nesterov=True))
trajectory("sgd_scheduled", optim.SGD(optim.cosine_decay(0.2, 15, 0.01)))
trajectory("rmsprop", optim.RMSprop(0.01))
trajectory("rmsprop_alpha", optim.RMSprop(0.01, alpha=0.8, eps=1e-4))
trajectory("adagrad", optim.Adagrad(0.1))
trajectory("adadelta", optim.AdaDelta(1.0))
trajectory("adadelta_rho", optim.AdaDelta(0.5, rho=0.7, eps=1e-3))
trajectory("adam", optim.Adam(0.01))
trajectory("adam_corrected", optim.Adam(0.01, betas=[0.8, 0.95], bias_correction=True))
trajectory("adamw", optim.AdamW(0.01, weight_decay=0.1))
trajectory("adamw_corrected", optim.AdamW(optim.linear_schedule(0.0, 0.02, 10), bias_correction=True))
trajectory("adamax", optim.Adamax(0.01))
trajectory("lion", optim.Lion(0.01, weight_decay=0.1))
trajectory("lion_betas", optim.Lion(0.01, betas=[0.8, 0.9]))
trajectory("adafactor", optim.Adafactor())
trajectory("adafactor_rate", optim.Adafactor(0.01, relative_step=False, scale_parameter=False, beta_1=0.9,
                                             weight_decay=0.1))
trajectory("adafactor_warmup", optim.Adafactor(warmup_init=True, clip_threshold=0.5))
trajectory("muon", optim.Muon(0.02))
trajectory("muon_plain", optim.Muon(0.02, nesterov=False, weight_decay=0.0, ns_steps=3))
trajectory("multi", optim.MultiOptimizer([optim.Muon(0.02), optim.AdamW(0.01)], [lambda name, g: g.ndim == 2]))
for name, make in {"sgd": lambda: optim.SGD(0.1, momentum=0.9), "adam": lambda: optim.Adam(0.01, eps=1e-4),
                   "adamw": lambda: optim.AdamW(0.01, eps=1e-4, bias_correction=True),
                   "lion": lambda: optim.Lion(0.01)}.items():
    trajectory(f"{name}_f16", make(), mx.float16)

SCHEDULES = {
    "exponential_decay": optim.exponential_decay(0.1, 0.9),
    "step_decay": optim.step_decay(0.1, 0.5, 7),
    "cosine_decay": optim.cosine_decay(0.1, 30, 0.01),
    "linear_schedule": optim.linear_schedule(0.02, 0.1, 25),
    "join_schedules": optim.join_schedules(
        [optim.linear_schedule(0.0, 0.1, 10), optim.cosine_decay(0.1, 15), optim.exponential_decay(0.05, 0.8)],
        [10, 25]),
}
for name, schedule in SCHEDULES.items():
    tensors[f"schedule/{name}"] = mx.stack([mx.array(schedule(mx.array(t, mx.uint64))) for t in range(40)])

for i, (max_norm, dtype) in enumerate([(2.0, mx.float32), (1000.0, mx.float32), (0.5, mx.float16), (0.0, mx.float32)]):
    given = {"a": (normal(3, 2) * 300).astype(dtype), "b": normal(4).astype(mx.float32)}
    clipped, norm = optim.clip_grad_norm(given, max_norm)
    tensors |= {f"clip.{i}/in.{n}": g for n, g in given.items()} | {f"clip.{i}/out.{n}": g for n, g in clipped.items()}
    tensors |= {f"clip.{i}/max_norm": mx.array(max_norm), f"clip.{i}/norm": norm}

mx.eval(list(tensors.values()))
PATH.parent.mkdir(parents=True, exist_ok=True)
mx.save_safetensors(str(PATH), tensors, {"oracle": f"mlx {mx.__version__} cpu, tools/oracles/mlx_optimizers.py"})
print(f"{len({k.split('/')[0] for k in tensors})} groups, {PATH.stat().st_size} bytes")
