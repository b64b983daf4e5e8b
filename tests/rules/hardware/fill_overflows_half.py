import math

import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.bias = nn.Parameter(torch.zeros(8, 8))

    def forward(self, x, mask):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        scores = scores.masked_fill(mask, -1e9)  # expect: DP521
        return scores.softmax(-1) @ v  # expect: DP151


class Biased(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
        self.bias = nn.Parameter(torch.zeros(8, 8))

    def forward(self, x, mask):
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = torch.matmul(q, k.transpose(-1, -2))
        wide = scores.float().masked_fill(mask, -1e9)
        fits = scores.masked_fill(mask, -1e4)
        infinite = scores.masked_fill(mask, float("-inf"))
        lowest = scores.masked_fill(mask, torch.finfo(scores.dtype).min)
        promoted = (scores + self.bias).masked_fill(mask, -1e9)
        return (wide + fits + infinite + lowest + promoted).softmax(-1) @ v  # expect: DP151


def train(loader, optimizer: torch.optim.Optimizer):
    first, second = Attention(64).cuda(), Biased(64).cuda()
    scaler = torch.amp.GradScaler("cuda")
    for x, mask in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = first(x, mask).mean() + second(x, mask).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()


def at_once(q, k, mask):
    with torch.cuda.amp.autocast():  # hint: DP302
        return torch.bmm(q, k).masked_fill(mask, -1e10)  # expect: DP521


def wider(q, k, mask):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return torch.bmm(q, k).masked_fill(mask, -1e10)


def without(q, k, mask):
    return torch.bmm(q, k).masked_fill(mask, -1e10)
