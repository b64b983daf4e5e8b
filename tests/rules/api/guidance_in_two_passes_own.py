# A network of the project, whose method runs both passes.
import torch
from torch import nn


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, time, drop=0.5):
        return self.layer(x) + time * (1.0 - drop)

    def guided(self, x, time, scale=1.0):
        logits = self.forward(x, time, drop=0.0)  # hint: DP808
        if scale == 1:
            return logits
        null = self.forward(x, time, drop=1.0)  # expect: DP198  # hint: DP808
        return null + (logits - null) * scale

    def summed(self, x, time):
        first = self.forward(x, time, drop=0.0)  # hint: DP808
        second = self.forward(x, time, drop=1.0)  # hint: DP808
        return first + second

    def of_two_inputs(self, x, y, time):
        first = self.forward(x, time, drop=0.0)  # hint: DP808
        second = self.forward(y, time, drop=1.0)  # hint: DP808
        return first - second


@torch.no_grad()
def sample(net: Unet, x, steps):
    for step in range(steps):
        x = x - 0.1 * net.guided(x, step, scale=3.0)
        x = x - 0.1 * net.summed(x, step)
        x = x - 0.1 * net.of_two_inputs(x, x.flip(0), step)
    return x


class Trained(Unet):
    def consistency(self, x, time):
        first = self.forward(x, time, drop=0.0)  # hint: DP808
        second = self.forward(x, time, drop=1.0)  # hint: DP808
        return (first - second).pow(2).mean()


def train(net: Trained, loader, optimizer):
    for x, time in loader:
        loss = net.consistency(x, time)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
