import torch
from torch import nn


def train(net, loader, steps):
    opt = torch.optim.AdamW(net.parameters())
    running = None
    for step, (x, y) in zip(range(steps), loader):
        loss = nn.functional.l1_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running = loss if running is None else 0.99 * running + 0.01 * loss  # expect: DP230
    return running


def main(loader):
    print(train(nn.Linear(10, 1), loader, 10000))
