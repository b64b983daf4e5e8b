import torch
from torch.utils.data import random_split


def prepare(data, model, path):
    train, valid = random_split(data, [900, 100])  # expect: DP897
    fixed = random_split(data, [900, 100], generator=torch.Generator())
    model.load_state_dict(torch.load(path, map_location="cpu"))  # expect: DP306
    return train, valid, fixed


def save(model, path):
    torch.save(model.state_dict(), path)
