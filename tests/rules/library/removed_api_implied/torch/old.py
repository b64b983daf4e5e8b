import torch
from torchvision import transforms


def silent(size):
    # The torchvision of torch 1.7 still has it.
    return transforms.Scale(size), torch.ones(2)  # hint: DP302
