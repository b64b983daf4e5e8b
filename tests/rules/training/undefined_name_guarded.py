import torch

try:
    text = unicode_type
except NameError:
    text = str


def run(x):
    return torch.tensor(x), maybe
