import numpy as np
import torch


def fires(paths, a):
    x = torch.tensor([np.load(path) for path in paths])  # expect: DP137
    y = torch.FloatTensor([np.zeros(3), np.ones(3)])  # expect: DP137  # hint: DP145
    b = np.asarray(a)
    z = torch.as_tensor([b, b])  # expect: DP137
    w = torch.Tensor([b], device="cpu")  # expect: DP137
    states = []
    for path in paths:
        states.append(np.load(path))
    return x, y, z, w, torch.tensor(states)  # expect: DP137


def silent(paths, a, values):
    b = np.asarray(a)
    x = torch.tensor(np.stack([np.load(path) for path in paths]))
    y = torch.tensor(b)
    z = torch.tensor([1.0, 2.0])
    w = torch.tensor([np.mean(b), np.std(b)])
    v = torch.tensor([np.float32(1), b[0]])
    u = torch.tensor([float(n) for n in b])  # hint: DP139
    t = torch.tensor(values)
    s = torch.tensor([])
    mixed = []
    for path in paths:
        mixed.append(np.load(path))
        mixed.append(3)
    r = torch.tensor([b.sum() for path in paths])
    numbers = []
    for path in paths:
        numbers.append(path.size)
    return x, y, z, w, v, u, t, s, r, torch.tensor(mixed), torch.tensor(numbers)


def replaced_later(rewards, masks):
    returns = torch.tensor(rewards, dtype=torch.float64)
    rewards = [torch.zeros(len(mask)) for mask in masks]
    return returns, rewards
