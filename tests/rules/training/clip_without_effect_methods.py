"""The parts of a step in methods of an object."""
import torch
from torch import nn


class Late:
    def __init__(self, model: nn.Module, most):
        self.model = model
        self.most = most
        self.optimizer = torch.optim.Adam(model.parameters())

    def clip(self):
        if self.most is not None:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.most)  # expect: DP865

    def update(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.clip()


class Right:
    def __init__(self, model: nn.Module, most):
        self.model = model
        self.most = most
        self.optimizer = torch.optim.Adam(model.parameters())

    def clip(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), self.most)

    def update(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.clip()
        self.optimizer.step()


class Accumulating:
    """Clips what the next backward pass adds to."""

    def __init__(self, model: nn.Module):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters())

    def clip(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)

    def update(self, step, loss):
        (loss / 4).backward()
        if (step + 1) % 4 == 0:
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
        self.clip()


def train(model: nn.Module, loader):
    late = Late(model, 1.0)
    right = Right(model, 1.0)
    accumulating = Accumulating(model)
    for step, (x, y) in enumerate(loader):
        late.update(nn.functional.cross_entropy(model(x), y))
        right.update(nn.functional.cross_entropy(model(x), y))
        accumulating.update(step, nn.functional.cross_entropy(model(x), y))
