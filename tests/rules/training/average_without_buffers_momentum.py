# A momentum encoder runs in the training step, in training mode, and so updates its own statistics.
import copy

import torch
import torch.nn as nn
from torchvision.models import resnet18


class Contrast(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder_q = resnet18(num_classes=128)
        self.encoder_k = copy.deepcopy(self.encoder_q)

    @torch.no_grad()
    def update(self, momentum=0.99):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data = k.data * momentum + q.data * (1.0 - momentum)

    def forward(self, x, y):
        q = self.encoder_q(x)
        with torch.no_grad():
            self.update()
            k = self.encoder_k(y)
        return q @ k.T


class TargetUpdate:
    def on_train_batch_end(self, module):
        self.update(module.online_network, module.target_network)

    def update(self, online, target):
        for p, t in zip(online.parameters(), target.parameters()):
            t.data = 0.99 * t.data + 0.01 * p.data


def target_loss(module, x):
    with torch.no_grad():
        return module.target_network(x)


class Ema:
    """A moving average for the evaluation."""

    def __init__(self, model):
        self.shadow = copy.deepcopy(model).eval()

    @torch.no_grad()
    def update(self, model, decay=0.999):
        for average, current in zip(self.shadow.parameters(), model.parameters()):  # expect: DP907
            average.mul_(decay).add_(current, alpha=1 - decay)

    def __call__(self, x):
        return self.shadow(x)


ema = Ema(resnet18())
ema.update(resnet18())
