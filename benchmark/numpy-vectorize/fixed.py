import numpy as np
import torch

ROWS = 6000
COLUMNS = 128


def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))


rng = np.random.default_rng(0)
weights = rng.normal(size=(COLUMNS, COLUMNS)) / 12
hidden = rng.normal(size=(ROWS, COLUMNS)) @ weights
activated = gelu(hidden)
scores = torch.from_numpy(activated).float().softmax(dim=1)

result = [scores.max().item(), float(activated.mean())]
