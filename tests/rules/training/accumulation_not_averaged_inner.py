# A loop over the batches of one step, and the optimizer's step after it.
import torch
from torch import nn


def train(model: nn.Module, stream, accumulation, steps):
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(steps):
        shown = torch.zeros(())
        for _ in range(accumulation):
            x, y = next(stream)
            loss = nn.functional.cross_entropy(model(x), y)
            loss.backward()  # expect: DP830
            shown += loss.detach() / accumulation
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


class Run:
    def __init__(self, model, stream, accumulation):
        self.model, self.stream, self.accumulation = model, stream, accumulation
        self.optimizer = torch.optim.AdamW(model.parameters())

    def step(self):
        self.optimizer.zero_grad()
        for _ in range(self.accumulation):
            x, y = next(self.stream)
            nn.functional.cross_entropy(self.model(x), y).backward()  # expect: DP830
        self.optimizer.step()


def parts(model: nn.Module, x, y):
    optimizer = torch.optim.AdamW(model.parameters())
    optimizer.zero_grad()
    for a, b in zip(x.chunk(4), y.chunk(4)):
        loss = nn.functional.mse_loss(model(a), b)
        loss.backward()  # expect: DP830
    optimizer.step()


def divided(model: nn.Module, stream, accumulation):
    optimizer = torch.optim.AdamW(model.parameters())
    optimizer.zero_grad()
    for _ in range(accumulation):
        x, y = next(stream)
        loss = nn.functional.cross_entropy(model(x), y) / accumulation
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    for _ in range(accumulation):
        x, y = next(stream)
        loss = nn.functional.cross_entropy(model(x), y)
        (loss / accumulation).backward()
    optimizer.step()


def tasks(model: nn.Module, losses, count):
    optimizer = torch.optim.AdamW(model.parameters())
    optimizer.zero_grad()
    for task in range(count):
        losses[task](model).backward()
    optimizer.step()


def several_updates(model: nn.Module, stream, accumulation):
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(accumulation):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(next(stream)), next(stream)).backward()
        optimizer.step()
    optimizer.step()
