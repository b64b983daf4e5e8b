import numpy as np
import torch


def silent():
    # Python 3.7 has no NumPy without this name.
    return torch.tensor(np.NINF)
