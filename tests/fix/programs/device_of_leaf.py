# DP401 unchanged
import torch

device = torch.device("cpu")


def learn(n):
    for _ in range(n):
        w = torch.zeros(2, requires_grad=True).to(device)
        v = torch.zeros(2).requires_grad_().to(device)
        (w.sum() + v.sum()).backward()
        print(w.is_leaf, v.is_leaf)


learn(3)
