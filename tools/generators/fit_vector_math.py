"""Fits the polynomials of tessera/backends/cpu/isa/kernels/math_kernels.h.

Near-minimax by iteratively reweighted least squares (Lawson) at Chebyshev points, in double
precision over 40-digit reference values. Prints each polynomial, highest power first, rounded to
float, with its largest weighted error.

  python tools/generators/fit_vector_math.py        needs numpy and mpmath
"""

import mpmath as mp
import numpy as np

mp.mp.dps = 40


def fit(name, target, weight, low, high, degree, points=2000, rounds=200):
    """target(t) ~ sum c[i] t^i on [low, high], making max |weight * error| small."""
    nodes = np.cos(np.pi * (np.arange(points) + 0.5) / points)
    t = 0.5 * (low + high) + 0.5 * (high - low) * nodes
    y = np.array([float(target(mp.mpf(float(v)))) for v in t])
    w = np.array([float(weight(mp.mpf(float(v)))) for v in t])
    basis = np.vander(t, degree + 1, increasing=True)
    lawson = np.ones(points)
    for _ in range(rounds):
        scale = w * np.sqrt(lawson)
        c, *_ = np.linalg.lstsq(basis * scale[:, None], y * scale, rcond=None)
        error = np.abs(w * (basis @ c - y))
        lawson *= error / error.max() + 1e-12
        lawson /= lawson.sum()
    rounded = c.astype(np.float32)
    worst = np.abs(w * (basis @ rounded.astype(np.float64) - y)).max()
    print(f"{name}  on [{low:.6g}, {high:.6g}]  error {error.max():.2e}, rounded {worst:.2e}")
    print("   ", ", ".join(f"{v:.9e}f" for v in rounded[::-1]))


half_ln2 = float(mp.log(2) / 2) * 1.001
# exp(r) = 1 + r + r^2 p(r)
fit("exp", lambda r: (mp.exp(r) - 1 - r) / r**2 if r else mp.mpf("0.5"), lambda r: r**2,
    -half_ln2, half_ln2, 4)
# tanh(x) = x + x s p(s), s = x^2
fit("tanh", lambda s: (mp.tanh(mp.sqrt(s)) / mp.sqrt(s) - 1) / s, lambda s: s, 1e-6, 0.625**2, 5)
# erf(x) = x + x p(s), s = x^2
fit("erf, |x| < 0.92", lambda s: mp.erf(mp.sqrt(s)) / mp.sqrt(s) - 1, lambda s: 1, 1e-9, 0.92**2, 6)
# erf(t) = 1 - exp(t p(t))
fit("erf, 0.92 <= t", lambda t: mp.log(mp.erfc(t)) / t, lambda t: t * mp.erfc(t), 0.92, 4.0, 7)
