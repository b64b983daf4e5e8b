import torch
from torch.utils.data import random_split

torch.manual_seed(0)


def prepare(data, model, path):
    train, valid = random_split(data, [900, 100])
    model.load_state_dict(torch.load(path, map_location="cpu"))  # expect: DP306
    torch.save(model.state_dict(), path)
    return train, valid
