import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision.models import resnet18, resnet50


class Dqn:
    def __init__(self, q: nn.Module):
        self.q = q
        self.target = copy.deepcopy(self.q)
        self.optimizer = torch.optim.Adam(self.q.parameters())

    def learn(self, s, a, r, s2):
        y = r + self.target(s2).max(1).values  # expect: DP159
        loss = F.smooth_l1_loss(self.q(s).gather(1, a), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def learn_detached(self, s, a, r, s2):
        y = r + self.target(s2).max(1).values.detach()  # hint: DP232
        loss = F.smooth_l1_loss(self.q(s).gather(1, a), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def learn_right(self, s, a, r, s2):
        with torch.no_grad():
            y = r + self.target(s2).max(1).values
        loss = F.smooth_l1_loss(self.q(s).gather(1, a), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class Frozen:
    def __init__(self, q: nn.Module):
        self.q = q
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.q.parameters())

    def learn(self, s, s2):
        loss = F.smooth_l1_loss(self.q(s), self.target(s2))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def distill(loader):
    teacher = resnet50(weights="DEFAULT").to("cuda").eval()
    student = resnet18(num_classes=1000).to("cuda")
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for x in loader:
        loss = F.mse_loss(student(x), teacher(x))  # expect: DP159, DP513
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
