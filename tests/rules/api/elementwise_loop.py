import math

import numpy as np
import torch


def fires(n, m):
    x = torch.rand(n, m)
    y = torch.zeros(n, m)
    for i in range(n):  # expect: DP139
        y[i] = torch.exp(x[i]) * 2
    for i in range(n):  # expect: DP139
        for j in range(m):
            y[i, j] = x[i, j] + 1
    for i in range(n):  # expect: DP139
        y[i] += x[i]
    for i in range(n):  # expect: DP139
        if x[i, 0] > 0:
            y[i, 0] = x[i, 0] * 2
        else:
            y[i, 0] = x[i, 0] / 2
    for i, row in enumerate(x):  # expect: DP139
        scaled = row * 2
        y[i] = scaled + 1
    return y


def of_arrays(n):
    image = np.ones((n, n))
    out = np.zeros((n, n))
    for i in range(n):  # expect: DP139
        for j in range(n):
            out[i, j] = image[i, j] / 255 - 0.5
    return out


class Positions(torch.nn.Module):
    def forward(self, x):
        table = torch.zeros(x.shape[1], 64)
        for i in range(x.shape[1]):  # expect: DP139
            for j in range(64):
                table[i, j] = math.sin(i / 10000 ** (j / 64))
        return x + table


def stacked(batches, mean):
    for batch in batches:
        images = torch.rand(64, 3)
        yield torch.stack([(image - mean) / 2 for image in images])  # expect: DP139


def unknown(n, x):
    y = torch.zeros(n)
    for i in range(n):  # hint: DP139
        y[i] = x[i] + 1
    return y


def once(n):
    table = np.zeros(n)
    for i in range(n):  # hint: DP139
        table[i] = math.sqrt(i)
    return table


def silent(n, model, values, lengths):
    x = torch.rand(n)
    y = torch.zeros(n)
    z = torch.zeros(n, n)
    total = 0
    for i in range(1, n):
        y[i] = y[i - 1] + x[i]
    for i in range(n):
        y[i] = model(x[i])
    for i in range(3):
        y[i] = x[i] + 1
    for i in range(n):
        values[i] = x[i] + 1
    for i in range(n):
        y[i] = x[i] + 1
        print(i)
    for i in range(n):
        y[i] = torch.rand(1)
    for i in range(n):
        total = total + x[i]
        y[i] = total * 2
    for i in range(1, n):
        row = z[i, :i].clone()
        z[i, :i] = row + z[:i, :i].sum(0)
    for i in range(n):
        z[i, i * 2:i * 2 + 2] = x[i] + 1
    for i, value in enumerate(x):
        y[i] = value in values
    parts = np.array([x[j] + k for j in range(n) for k in range(lengths[j])])
    return y, parts
