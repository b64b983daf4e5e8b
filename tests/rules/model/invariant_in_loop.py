import numpy as np
import torch


def fires(model, optimizer, adjacency: torch.Tensor, x, epochs):
    for epoch in range(epochs):
        two_hops = torch.matmul(adjacency, adjacency)  # expect: DP252
        loss = (two_hops @ model(x)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def silent(a: torch.Tensor, b: torch.Tensor, layer: torch.nn.Linear, batches, n):
    weight = torch.rand(10, 10, requires_grad=True)
    for i in range(n):
        c = torch.matmul(a, b)
        b = b + c
    for batch in batches:
        d = torch.matmul(batch, a)
        e = torch.matmul(layer.weight, layer.weight)
        f = torch.matmul(weight, weight)
        if d.sum() > 0:
            f = torch.matmul(a, a)
    for i in range(3):
        d = torch.matmul(a, a)
    for i in range(n):
        a[i] = 0
        d = torch.inverse(a)
    return d, e, f, torch.matmul(a, a)
