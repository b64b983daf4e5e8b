# The tensor takes a way of some steps from where it is made to where it is moved.
import numpy as np
import torch
from torch import nn
from torch.autograd import Variable

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def causal_mask(n):
    return torch.tril(torch.ones(n, n))


class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, size)
        self.start = torch.zeros(size).to("cpu")

    def forward(self, x):
        mask = torch.ones(x.shape[0], 5)
        mask = mask.to(x.device)  # expect: DP401
        noise = torch.randn(x.shape).type_as(x)
        positions = torch.arange(x.shape[1]).unsqueeze(0).long().to(device)  # expect: DP401
        both = torch.zeros(x.shape[0], 5).to(device=x.device, dtype=x.dtype)  # expect: DP401
        causal = causal_mask(x.shape[1]).to(x.device)  # expect: DP401
        drawn = torch.from_numpy(np.random.randn(5, 5)).float().to(device)  # expect: DP401
        scaled = (torch.rand(5) * 2 - 1).to(device)  # expect: DP401
        return self.layer(x) + mask + positions + both + causal + drawn + scaled + noise, self.helper(x)

    def helper(self, x):
        hidden = Variable(torch.zeros(1, x.shape[0], 8))  # hint: DP302
        if torch.cuda.is_available():
            hidden = hidden.cuda()  # expect: DP401
        filled = torch.zeros(4, 4)
        filled.fill_(2.0)
        filled[:, 0] = 1
        filled = filled.cuda()  # expect: DP401
        return hidden, filled


def train(model, loader, optimizer, use_cuda):
    valid = torch.ones(8, 1)
    if use_cuda:
        valid = valid.cuda()  # hint: DP401
    for x in loader:
        z = torch.tensor(np.random.normal(0, 1, (8, 100))).cuda()  # expect: DP401
        x = x.cuda()
        scores = model(x)
        picked = scores[torch.arange(8), 0]
        loss = (scores + z + picked).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def silent(model, loader, labels):
    for x in loader:
        one_hot = torch.zeros(8, 10)
        for i, label in enumerate(labels):  # hint: DP160
            one_hot[i, label] = 1.0  # cheaper on the CPU than one kernel each
        one_hot = one_hot.cuda()
        table = torch.zeros(8, 2)
        table[:, 0] = labels.float()  # computed on the CPU
        table = table.cuda()
        count = torch.zeros(1)
        print(count + 1)
        count = count.cuda()
        half = torch.zeros(8, 10).to(torch.float16)
        given = torch.tensor([1.0, 2.0]).cuda()  # hint: DP413
        there = torch.zeros(8, 10, device=device).to(device)
        model(x, one_hot, count, half, given, there, table).backward()

