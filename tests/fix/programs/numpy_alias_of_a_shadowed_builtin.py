# DP301 unchanged
import numpy as np
import torch

vars(np)["int"] = int


def convert(values, int):
    return torch.from_numpy(np.asarray(values, dtype=np.int)), int


print(convert([1, 2], "int"))
