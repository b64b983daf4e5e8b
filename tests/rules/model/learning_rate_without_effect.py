import torch
from torch.optim.lr_scheduler import LambdaLR


def attribute(model: torch.nn.Module, epochs, train):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        if epoch == 30:
            optimizer.lr = 0.01  # expect: DP277
        if epoch == 60:
            optimizer.lr *= 0.1  # expect: DP277
        optimizer.defaults["lr"] = 0.01  # expect: DP277
        for group in optimizer.param_groups:
            group["lr"] = 0.01
        train(model, optimizer)


def absolute(model: torch.nn.Module):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return LambdaLR(optimizer, lr_lambda=lambda epoch: 0.1 * 0.95**epoch)  # expect: DP277


def named(model: torch.nn.Module, lr: float):
    def decay(epoch):
        return lr * 0.5 ** (epoch // 10)  # expect: DP277

    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    return LambdaLR(optimizer, decay)


def factor(model: torch.nn.Module, lr: float):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    one = torch.optim.Adam(model.parameters(), lr=1.0)
    return LambdaLR(optimizer, lambda epoch: 0.95**epoch), LambdaLR(one, lambda step: 1.0 * step**-0.5)
