#!/usr/bin/env python3
"""Writes examples/data/digits.safetensors: the 1,797 handwritten digits that scikit-learn ships.

  images  uint8 [1797, 64]   8 x 8 pixels, 0 (paper) to 16 (ink)
  labels  uint8 [1797]       0 to 9

The data are the test set of E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits",
UCI Machine Learning Repository, 1998 (CC BY 4.0), doi:10.24432/C50P49.

Rerun: pip install scikit-learn safetensors, then python tools/generators/digits.py
"""

import pathlib

import numpy as np
from safetensors.numpy import save_file
from sklearn.datasets import load_digits

digits = load_digits()
path = pathlib.Path(__file__).resolve().parents[2] / "examples" / "data" / "digits.safetensors"
path.parent.mkdir(exist_ok=True)
save_file({"images": digits.data.astype(np.uint8), "labels": digits.target.astype(np.uint8)}, path,
          {"source": "doi:10.24432/C50P49, CC BY 4.0"})
print(path.stat().st_size, "bytes")
