#!/usr/bin/env python3
"""Goldens of layers, activations, losses and initialisers from Python MLX (CPU): tests/goldens/nn/.

FAMILY.safetensors has tensors called CASE/PART:
  layers       init.NAME (a parameter as seed 7 makes it), param.NAME (what it is before the call),
               in.I, out.I, after.NAME (a parameter that the call changed). Random numbers of the
               call come from seed 11. grad.NAME and grad.in.I are the gradients of
               sum(out.I * weight.I) by the trainable parameters and the floating inputs.
  activations  x/DTYPE, FUNCTION/DTYPE, and FUNCTION/grad, that of sum(out * weight/FUNCTION) in
               float32
  losses       in.I, out.none, out.mean, out.sum
  init         in, out, from seed 7

Rerun: python tools/oracles/mlx_nn.py
"""

import pathlib

import mlx.core as mx
import mlx.nn as nn
import numpy as np
from mlx.utils import tree_flatten, tree_unflatten

mx.set_default_device(mx.cpu)

ROOT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "goldens" / "nn"
RNG = np.random.default_rng(20260104)
DTYPES = {"f32": mx.float32, "f16": mx.float16, "bf16": mx.bfloat16}


def normal(*shape, scale=1.0, shift=0.0):
    return mx.array((RNG.standard_normal(shape) * scale + shift).astype(np.float32))


def write(family, tensors):
    mx.eval(list(tensors.values()))
    ROOT.mkdir(parents=True, exist_ok=True)
    path = ROOT / f"{family}.safetensors"
    mx.save_safetensors(str(path), tensors, {"oracle": f"mlx {mx.__version__} cpu, tools/oracles/mlx_nn.py"})
    print(f"{family}: {len({k.split('/')[0] for k in tensors})} cases, {path.stat().st_size} bytes")


# Activations

ACTIVATIONS = {
    "celu": lambda x: nn.celu(x, 1.3),
    "elu": lambda x: nn.elu(x, 0.7),
    "gelu": nn.gelu,
    "gelu_approx": nn.gelu_approx,
    "gelu_fast_approx": nn.gelu_fast_approx,
    "glu": lambda x: nn.glu(x, 0),
    "hard_shrink": lambda x: nn.hard_shrink(x, 0.4),
    "hard_tanh": lambda x: nn.hard_tanh(x, -0.5, 1.5),
    "hardswish": nn.hardswish,
    "leaky_relu": lambda x: nn.leaky_relu(x, 0.2),
    "log_sigmoid": nn.log_sigmoid,
    "log_softmax": lambda x: nn.log_softmax(x, 0),
    "mish": nn.mish,
    "prelu": lambda x: nn.prelu(x, mx.array([0.1, 0.2, 0.3, 0.4], x.dtype)),
    "relu": nn.relu,
    "relu2": nn.relu2,
    "relu6": nn.relu6,
    "selu": nn.selu,
    "sigmoid": nn.sigmoid,
    "silu": nn.silu,
    "softmax": nn.softmax,
    "softmin": nn.softmin,
    "softplus": nn.softplus,
    "softshrink": lambda x: nn.softshrink(x, 0.4),
    "softsign": nn.softsign,
    "step": lambda x: nn.step(x, 0.25),
    "tanh": nn.tanh,
}
tensors = {}
values = np.concatenate([RNG.standard_normal(30) * 3, [0.0, -0.0, 0.25, 0.4, -0.4, 6.0, -3.0, 30.0, -30.0, 1.0]])
for kind, dtype in DTYPES.items():
    x = mx.array(values.astype(np.float32)).reshape(10, 4).astype(dtype)
    tensors[f"x/{kind}"] = x
    for name, function in ACTIVATIONS.items():
        # Half types: MLX's float32 result of the same numbers, rounded once.
        wide = function(x.astype(mx.float32))
        tensors[f"{name}/{kind}"] = wide if wide.dtype == mx.int32 else wide.astype(dtype)
x = tensors["x/f32"]
for name, function in ACTIVATIONS.items():
    if name != "step":
        weight = normal(*function(x).shape)
        tensors[f"weight/{name}"] = weight
        tensors[f"{name}/grad"] = mx.grad(lambda x: (function(x) * weight).sum())(x)
write("activations", tensors)

# Losses

tensors = {}


def loss(name, function, *inputs, **options):
    for i, x in enumerate(inputs):
        tensors[f"{name}/in.{i}"] = x
    for reduction in ("none", "mean", "sum"):
        tensors[f"{name}/out.{reduction}"] = function(*inputs, reduction=reduction, **options)


L = nn.losses
logits, labels = normal(6, 5, scale=3), mx.array([0, 4, 2, 2, 1, 3])
loss("cross_entropy", L.cross_entropy, logits, labels)
loss("cross_entropy_axis", L.cross_entropy, normal(4, 5, 3), mx.array(RNG.integers(0, 5, (4, 3))), axis=1)
loss("cross_entropy_probabilities", L.cross_entropy, logits, mx.softmax(normal(6, 5), axis=-1))
loss("cross_entropy_smooth", L.cross_entropy, logits, labels, label_smoothing=0.2)
loss("cross_entropy_far", L.cross_entropy, logits * 100 + 500, labels)
weights = mx.array(RNG.random(6).astype(np.float32))
loss("cross_entropy_weights", lambda x, t, w, reduction: L.cross_entropy(x, t, weights=w, reduction=reduction),
     logits, labels, weights)
bits = mx.array(RNG.integers(0, 2, 8).astype(np.float32))
loss("binary_cross_entropy", L.binary_cross_entropy, normal(8, scale=4), bits)
probabilities = mx.array([0.0, 1.0, 0.5, 0.1, 0.9, 1e-30, 0.3, 0.7])
loss("binary_cross_entropy_probabilities", L.binary_cross_entropy, probabilities, bits, with_logits=False)
loss("binary_cross_entropy_weights",
     lambda x, t, w, reduction: L.binary_cross_entropy(x, t, weights=w, reduction=reduction),
     normal(8), bits, mx.array(RNG.random(8).astype(np.float32)))
a, b, c = normal(4, 6), normal(4, 6), normal(4, 6)
loss("l1_loss", L.l1_loss, a, b)
loss("mse_loss", L.mse_loss, a, b)
loss("nll_loss", L.nll_loss, nn.log_softmax(logits), labels)
loss("nll_loss_axis", L.nll_loss, normal(5, 3), mx.array([4, 0, 2]), axis=0)
loss("gaussian_nll_loss", L.gaussian_nll_loss, a, b, mx.abs(c))
loss("gaussian_nll_loss_full", L.gaussian_nll_loss, a, b, mx.abs(c) * 1e-3, full=True, eps=1e-3)
loss("kl_div_loss", L.kl_div_loss, nn.log_softmax(a), nn.log_softmax(b))
loss("kl_div_loss_axis", L.kl_div_loss, nn.log_softmax(a, 0), nn.log_softmax(b, 0), axis=0)
loss("smooth_l1_loss", L.smooth_l1_loss, a, b, beta=0.8)
loss("triplet_loss", L.triplet_loss, a, b, c)
loss("triplet_loss_options", L.triplet_loss, a, b, c, axis=0, p=3, margin=0.3, eps=1e-4)
signs = mx.array(np.where(RNG.random((4, 6)) < 0.5, 1, -1).astype(np.float32))
loss("hinge_loss", L.hinge_loss, a, signs)
loss("huber_loss", L.huber_loss, a, b, delta=0.7)
loss("log_cosh_loss", L.log_cosh_loss, a * 100, b)
loss("cosine_similarity_loss", L.cosine_similarity_loss, a, b)
loss("cosine_similarity_loss_axis", L.cosine_similarity_loss, a, mx.zeros((4, 6)), axis=0)
loss("margin_ranking_loss", L.margin_ranking_loss, a, b, signs, margin=0.2)
write("losses", tensors)

# Initialisers

tensors = {}


def initial(name, function, shape):
    mx.random.seed(7)
    tensors[f"{name}/out"] = function(mx.zeros(shape))


I = nn.init
initial("constant", I.constant(0.5, mx.float16), (2, 3))
initial("normal", I.normal(1.0, 0.5), (4, 5))
initial("normal_half", I.normal(1.0, 0.5, mx.bfloat16), (4, 5))
initial("uniform", I.uniform(-2.0, 3.0), (4, 5))
initial("identity", I.identity(), (4, 4))
initial("glorot_normal", I.glorot_normal(), (4, 5))
initial("glorot_normal_gain", lambda a: I.glorot_normal()(a, gain=2.0), (4, 3, 3, 2))
initial("glorot_uniform", I.glorot_uniform(), (4, 3, 2))
initial("he_normal", I.he_normal(), (4, 5))
initial("he_normal_out", lambda a: I.he_normal()(a, mode="fan_out", gain=1.5), (4, 3, 2))
initial("he_uniform", I.he_uniform(), (4, 5))
initial("he_uniform_out", lambda a: I.he_uniform()(a, mode="fan_out"), (4, 5))
initial("sparse", I.sparse(0.4, 0.5, 2.0), (5, 7))
initial("orthogonal", I.orthogonal(1.5), (5, 5))
initial("orthogonal_wide", I.orthogonal(), (3, 5))
write("init", tensors)

# Layers

tensors = {}


def layer(name, make, *inputs, call=None, training=True, perturb=True):
    """make() gives the layer; call(layer, *inputs) what it computes."""
    mx.random.seed(7)
    module = make()
    first = tree_flatten(module.parameters())
    for key, value in first:
        tensors[f"{name}/init.{key}"] = value
    if perturb:
        changed = [(k, v + normal(*v.shape, scale=0.1)) for k, v in first if mx.issubdtype(v.dtype, mx.floating)]
        module.update(tree_unflatten(changed))
    before = dict(tree_flatten(module.parameters()))
    for key, value in before.items():
        tensors[f"{name}/param.{key}"] = value
    for i, x in enumerate(inputs):
        tensors[f"{name}/in.{i}"] = x
    module.train(training)
    mx.random.seed(11)
    out = (call or (lambda m, *xs: m(*xs)))(module, *inputs)
    for i, y in enumerate(out if isinstance(out, tuple) else (out,)):
        tensors[f"{name}/out.{i}"] = y
    for key, value in tree_flatten(module.parameters()):
        if not mx.array_equal(value, before[key]):
            tensors[f"{name}/after.{key}"] = value

    weights = [normal(*y.shape) for y in (out if isinstance(out, tuple) else (out,))]
    for i, weight in enumerate(weights):
        tensors[f"{name}/weight.{i}"] = weight
    floating = [i for i, x in enumerate(inputs) if x.dtype == mx.float32]

    def scalar(parameters, xs):
        module.update(parameters)
        mx.random.seed(11)
        arguments = list(inputs)
        for i, x in zip(floating, xs):
            arguments[i] = x
        out = (call or (lambda m, *xs: m(*xs)))(module, *arguments)
        return sum((y * w).sum() for y, w in zip(out if isinstance(out, tuple) else (out,), weights))

    module.update(tree_unflatten(list(before.items())))
    trained = module.trainable_parameters()
    if not tree_flatten(trained) and not floating:
        return
    by_parameters, by_inputs = mx.grad(scalar, argnums=(0, 1))(trained, [inputs[i] for i in floating])
    for key, value in tree_flatten(by_parameters):
        tensors[f"{name}/grad.{key}"] = value
    for i, value in zip(floating, by_inputs):
        tensors[f"{name}/grad.in.{i}"] = value


x = normal(2, 3, 8)
layer("linear", lambda: nn.Linear(8, 5), x)
layer("linear_no_bias", lambda: nn.Linear(8, 5, bias=False), x)
layer("bilinear", lambda: nn.Bilinear(8, 3, 5), x, normal(2, 3, 3))
layer("bilinear_no_bias", lambda: nn.Bilinear(8, 3, 5, bias=False), normal(4, 8), normal(4, 3))
layer("embedding", lambda: nn.Embedding(10, 8), mx.array([[1, 0, 9], [3, 3, 7]]))
layer("embedding_as_linear", lambda: nn.Embedding(10, 8), x, call=lambda m, x: m.as_linear(x))
layer("sequential", lambda: nn.Sequential(nn.Linear(8, 6), nn.relu, nn.LayerNorm(6), nn.Linear(6, 2)), x)

layer("conv1d", lambda: nn.Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2), normal(2, 11, 4))
layer("conv1d_no_bias", lambda: nn.Conv1d(4, 6, 3, bias=False), normal(2, 9, 4))
layer("conv2d", lambda: nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(1, 0), groups=2), normal(2, 7, 6, 4))
layer("conv2d_square", lambda: nn.Conv2d(3, 5, 3, padding=1), normal(1, 5, 5, 3))
layer("conv3d", lambda: nn.Conv3d(2, 3, (2, 3, 2), stride=(1, 2, 1), padding=1), normal(1, 4, 5, 4, 2))
layer("conv_transpose1d", lambda: nn.ConvTranspose1d(4, 3, 3, stride=2, padding=1, output_padding=1),
      normal(2, 5, 4))
# With output_padding along the second axis, too, MLX's gradient by the input is one element short there.
layer("conv_transpose2d", lambda: nn.ConvTranspose2d(3, 2, (3, 2), stride=2, padding=(1, 0), output_padding=(1, 0)),
      normal(1, 4, 3, 3))
layer("conv_transpose3d", lambda: nn.ConvTranspose3d(2, 2, 2, stride=2, bias=False), normal(1, 2, 3, 2, 2))

layer("rms_norm", lambda: nn.RMSNorm(8), x)
layer("layer_norm", lambda: nn.LayerNorm(8), x)
layer("layer_norm_no_bias", lambda: nn.LayerNorm(8, bias=False), x)
layer("layer_norm_plain", lambda: nn.LayerNorm(8, affine=False, eps=1e-3), x)
image = normal(2, 4, 3, 8, shift=0.5)
layer("group_norm", lambda: nn.GroupNorm(4, 8), image)
layer("group_norm_pytorch", lambda: nn.GroupNorm(2, 8, pytorch_compatible=True), image)
layer("group_norm_plain", lambda: nn.GroupNorm(4, 8, affine=False), image)
layer("instance_norm", lambda: nn.InstanceNorm(8, affine=True), image)
layer("instance_norm_plain", lambda: nn.InstanceNorm(8), normal(2, 6, 8))
for training in (True, False):
    mode = "train" if training else "eval"
    layer(f"batch_norm_{mode}", lambda: nn.BatchNorm(8), image, training=training)
    layer(f"batch_norm_plain_{mode}", lambda: nn.BatchNorm(8, affine=False, momentum=0.3), normal(6, 8),
          training=training)
    layer(f"batch_norm_untracked_{mode}", lambda: nn.BatchNorm(8, track_running_stats=False), x, training=training)
layer("batch_norm_twice", lambda: nn.BatchNorm(8), x, normal(2, 3, 8), call=lambda m, a, b: (m(a), m(b)))

layer("rnn", lambda: nn.RNN(8, 5), x)
layer("rnn_hidden", lambda: nn.RNN(8, 5, bias=False, nonlinearity=nn.relu), x, normal(2, 5))
layer("gru", lambda: nn.GRU(8, 5), x)
layer("gru_hidden", lambda: nn.GRU(8, 5), x, normal(2, 5))
layer("gru_no_bias", lambda: nn.GRU(8, 5, bias=False), normal(4, 8))
layer("lstm", lambda: nn.LSTM(8, 5), x)
layer("lstm_hidden", lambda: nn.LSTM(8, 5, bias=False), x, normal(2, 5), normal(2, 5))

layer("attention", lambda: nn.MultiHeadAttention(8, 2), x, normal(2, 5, 8), normal(2, 5, 8))
layer("attention_mask", lambda: nn.MultiHeadAttention(8, 2, bias=True), x, x, x,
      nn.MultiHeadAttention.create_additive_causal_mask(3))
layer("attention_dims", lambda: nn.MultiHeadAttention(8, 2, query_input_dims=4, key_input_dims=6, value_dims=12,
                                                      value_output_dims=10),
      normal(2, 3, 4), normal(2, 5, 6), normal(2, 5, 6))
mask = nn.MultiHeadAttention.create_additive_causal_mask(3)
for first in (True, False):
    end = "" if first else "_norm_last"
    layer(f"encoder{end}", lambda: nn.TransformerEncoder(2, 8, 2, mlp_dims=12, norm_first=first), x, mask)
    layer(f"decoder{end}", lambda: nn.TransformerDecoder(1, 8, 2, norm_first=first), x, normal(2, 4, 8),
          call=lambda m, x, memory: m(x, memory, mask, None))
layer("transformer", lambda: nn.Transformer(8, 2, 1, 1, mlp_dims=12, activation=nn.gelu), normal(2, 4, 8), x,
      call=lambda m, src, tgt: m(src, tgt, None, mask, None))
layer("transformer_dropout", lambda: nn.TransformerEncoder(1, 8, 2, mlp_dims=12, dropout=0.3), x,
      call=lambda m, x: m(x, None))

layer("rope", lambda: nn.RoPE(6), normal(1, 2, 5, 8))
layer("rope_traditional", lambda: nn.RoPE(8, traditional=True, base=100.0, scale=0.5), normal(1, 2, 5, 8),
      call=lambda m, x: m(x, offset=3))
layer("sinusoidal", lambda: nn.SinusoidalPositionalEncoding(8), mx.arange(6).astype(mx.float32))
layer("sinusoidal_options", lambda: nn.SinusoidalPositionalEncoding(6, 0.01, 2.0, 1.0, True, True), normal(2, 3))
layer("sinusoidal_two", lambda: nn.SinusoidalPositionalEncoding(2), normal(4))
layer("alibi", lambda: nn.ALiBi(), normal(1, 4, 3, 5))
layer("alibi_six_heads", lambda: nn.ALiBi(), normal(1, 6, 3, 5), normal(3, 5),
      call=lambda m, x, mask: m(x, offset=2, mask=mask))

layer("max_pool2d", lambda: nn.MaxPool2d((3, 2), (2, 1), (1, 0)), normal(2, 6, 5, 3))
layer("max_pool1d", lambda: nn.MaxPool1d(2), normal(2, 6, 3))
layer("max_pool3d", lambda: nn.MaxPool3d(2, 1), normal(1, 3, 4, 3, 2))
layer("avg_pool1d", lambda: nn.AvgPool1d(3, 2, 1), normal(2, 7, 3))
layer("avg_pool2d", lambda: nn.AvgPool2d(2), normal(2, 6, 4, 3))
layer("avg_pool3d", lambda: nn.AvgPool3d((1, 2, 3), 2), normal(1, 3, 4, 5, 2))
layer("upsample_nearest", lambda: nn.Upsample(2), normal(1, 3, 2, 2))
layer("upsample_linear", lambda: nn.Upsample((1.5, 2), "linear", align_corners=True), normal(1, 4, 3, 2))
layer("upsample_cubic", lambda: nn.Upsample(0.5, "cubic", antialias=True), normal(1, 8, 2))

layer("dropout", lambda: nn.Dropout(0.4), normal(4, 9))
layer("dropout_eval", lambda: nn.Dropout(0.4), normal(4, 9), training=False)
layer("dropout2d", lambda: nn.Dropout2d(0.4), normal(3, 2, 2, 5))
layer("dropout2d_one", lambda: nn.Dropout2d(), normal(2, 2, 5))
layer("dropout3d", lambda: nn.Dropout3d(0.2), normal(2, 2, 2, 2, 4))
layer("prelu", lambda: nn.PReLU(8), x)
layer("gelu_module", lambda: nn.GELU("fast"), x)

wide = normal(2, 3, 64)
for mode, settings in {"affine": {"group_size": 32, "bits": 4}, "mxfp8": {}}.items():
    layer(f"quantized_linear_{mode}", lambda: nn.QuantizedLinear(64, 5, mode=mode, **settings), wide, perturb=False)
    layer(f"quantized_embedding_{mode}", lambda: nn.QuantizedEmbedding(6, 64, mode=mode, **settings),
          mx.array([[1, 0], [5, 3]]), perturb=False, call=lambda m, ids: m(ids).astype(mx.float32))
    layer(f"quantized_as_linear_{mode}", lambda: nn.QuantizedEmbedding(6, 64, mode=mode, **settings), wide,
          perturb=False, call=lambda m, x: m.as_linear(x))


def quantized_net():
    net = nn.Sequential(nn.Linear(64, 32), nn.relu, nn.Linear(32, 4))
    nn.quantize(net, group_size=32, bits=8, class_predicate=lambda path, m: path == "layers.0")
    return net


layer("quantized_net", quantized_net, wide, perturb=False)
write("layers", tensors)
