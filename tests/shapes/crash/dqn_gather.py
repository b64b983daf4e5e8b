# torch 1.13: RuntimeError: Index tensor must have the same number of dimensions as input tensor
import random
from collections import deque
import torch
import torch.nn as nn
import torch.nn.functional as F


class QNet(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.f1 = nn.Linear(obs, 64)
        self.f2 = nn.Linear(64, act)

    def forward(self, s):
        return self.f2(F.relu(self.f1(s)))


def learn(q, target, opt, gamma=0.99):
    s = torch.randn(32, 4)
    a = torch.randint(0, 2, (32,))
    r = torch.randn(32)
    s2 = torch.randn(32, 4)
    done = torch.zeros(32)
    qa = q(s).gather(1, a).squeeze(1)  # expect: DP604  # fixed: qa = q(s).gather(1, a.unsqueeze(1)).squeeze(1)
    with torch.no_grad():
        best = target(s2).max(1)[0]
    y = r + gamma * best * (1 - done)
    loss = F.smooth_l1_loss(qa, y)
    opt.zero_grad()
    loss.backward()
    opt.step()


q, t = QNet(4, 2), QNet(4, 2)
learn(q, t, torch.optim.Adam(q.parameters()))
