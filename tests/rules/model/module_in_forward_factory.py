from functools import lru_cache
import torch
from torch import nn
from torchvision import models


def make_backbone():
    return models.resnet18(weights="DEFAULT")


@lru_cache()
def cached_backbone():
    return models.resnet18(weights="DEFAULT")


def reference_net(device):
    net = make_backbone()
    net.fc = nn.Identity()
    return net.eval().to(device)


class Critic(nn.Module):
    def forward(self, a, b):
        ref = reference_net(a.device)  # expect: DP236
        with torch.no_grad():
            y = ref(b)
        return (ref(a) - y).abs().mean()


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = None

    def forward(self, a, b):
        if self.net is None:
            self.net = reference_net(a.device)
        return (self.net(a) - self.net(b)).abs().mean()  # expect: DP159


class Cached(nn.Module):
    def forward(self, a, b):
        net = cached_backbone()
        return (net(a) - net(b)).abs().mean()


class Score:
    def _net(self):
        return torch.hub.load("pytorch/vision", "resnet18").cuda()

    def __call__(self, pred, target):
        return (self._net()(pred) - target).abs().mean()  # expect: DP236


def train(model, loader, opt):
    crit, lazy, cached, score = Critic(), Lazy(), Cached(), Score()
    for x, y in loader:
        out = model(x)
        loss = crit(out, y) + lazy(out, y) + cached(out, y) + score(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    net = nn.Linear(4, 4)
    train(net, [], torch.optim.Adam(net.parameters()))
