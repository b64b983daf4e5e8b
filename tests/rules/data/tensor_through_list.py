import numpy as np
import pandas as pd
import torch


def fires(path, x: torch.Tensor):
    array = np.load(path)
    return torch.tensor(array.tolist()), torch.as_tensor(x.tolist())  # expect: DP420


def silent(path, unknown):
    frame = pd.read_csv(path)
    array = np.load(path)
    return torch.tensor(frame["ids"].tolist()), torch.tensor(unknown.tolist()), torch.from_numpy(array), array.tolist()
