import torch


def fires(n, m):
    x = torch.rand(n, m)
    y = torch.zeros(n, m)
    for i in range(n):  # hint: DP139
        y[i] = torch.exp(x[i]) * 2
    for i in range(n):
        for j in range(m):  # hint: DP139
            y[i, j] = x[i, j] + 1
    for i in range(n):  # hint: DP139
        y[i] += x[i]
    return y


def silent(n, model, values):
    x = torch.rand(n)
    y = torch.zeros(n)
    for i in range(1, n):
        y[i] = y[i - 1] + x[i]
    for i in range(n):
        y[i] = model(x[i])
    for i in range(3):
        y[i] = x[i] + 1
    for i in range(n):
        values[i] = x[i]
    for i in range(n):
        y[i] = x[i] + 1
        print(i)
    for i in range(n):
        y[i] = torch.rand(1)
    for i in range(n):
        if x[i] > 0:
            y[i] = x[i]
    return y
