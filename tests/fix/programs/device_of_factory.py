# DP401
import torch

device = torch.device("cpu")


def masks(sizes):
    for n in sizes:
        mask = torch.zeros(n, n).to(device)
        mask[0] = 1
        yield mask


for mask in masks([1, 2, 3]):
    print(mask, mask.device, mask.dtype, mask.requires_grad)
