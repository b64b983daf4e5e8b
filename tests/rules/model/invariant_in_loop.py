import numpy as np
import torch
from torch import nn


def fires(model, optimizer, adjacency: torch.Tensor, x, epochs):
    for epoch in range(epochs):
        two_hops = torch.matmul(adjacency, adjacency)  # expect: DP252
        loss = (two_hops @ model(x)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def other_spellings(model, a: torch.Tensor, b: torch.Tensor, table: np.ndarray, batches):
    out = []
    for batch in batches:
        projected = a @ b  # expect: DP252
        kernel = a.mm(b)  # expect: DP252
        inverse = a.inverse()  # expect: DP252
        turned = b.T.contiguous()  # expect: DP252
        gram = table.T @ table  # expect: DP252
        out.append((model(batch) @ projected, kernel, inverse, turned, gram))
    return out


class Recurrent(nn.Module):
    def __init__(self, width, rank):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width))
        self.left = nn.Parameter(torch.randn(width, rank))
        self.right = nn.Parameter(torch.randn(rank, width))

    def forward(self, inputs):
        h = torch.zeros_like(inputs[0])
        turned = self.weight.t()
        for x in inputs:
            h = torch.tanh(x + h @ self.weight.t().contiguous())  # expect: DP252
            h = h + h @ (self.left @ self.right)  # expect: DP252
            h = h + h @ turned.contiguous()  # expect: DP252
        return h

    @torch.no_grad()
    def generate(self, x, steps):
        for _ in range(steps):
            x = torch.relu(x @ self.weight.transpose(0, 1).contiguous())  # expect: DP252
        return x

    def once(self, inputs):
        turned = self.weight.t().contiguous()
        for x in inputs:
            x = x @ turned
        return x


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


def written_to(a: torch.Tensor, b: torch.Tensor, n):
    best = []
    for i in range(n):
        scores = a @ b
        scores[i] = float("-inf")
        work = a.t().contiguous()
        work.mul_(i)
        best.append((scores.argmax(1), work))
    return best


def in_layout_already(a: torch.Tensor, batches):
    for batch in batches:
        batch = batch @ a.contiguous()
    return batch


def trained(layer: nn.Module, optimizer: torch.optim.Optimizer, x: torch.Tensor, n):
    for i in range(n):
        loss = (x @ layer.weight.t().contiguous()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(8, 8, batch_first=True)

    def step(self, tokens, state, memory: torch.Tensor):
        output, state = self.cell(tokens, state)
        weights = torch.softmax(torch.matmul(memory, torch.transpose(output, 1, 2)), dim=1)
        return weights, state

    def decode(self, tokens, state, memory: torch.Tensor, length):
        with torch.no_grad():
            for i in range(length):
                tokens, state = self.step(tokens, state, memory)
        return tokens


# Nobody takes the result: a device is warmed up.
def warmed_up(a: torch.Tensor, b: torch.Tensor, count):
    for _ in range(count):
        torch.matmul(a, b)
    torch.cuda.synchronize()
