# The backward pass is in a function that gets what others have prepared.
import torch
from accelerate import Accelerator


def update(model, optimizer, loss):
    loss.backward()  # expect: DP879
    optimizer.step()
    optimizer.zero_grad()


def train(model: torch.nn.Module, optimizer, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        update(model, optimizer, torch.nn.functional.mse_loss(model(x), y))


def plain_update(model, optimizer, loss):
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()


def train_plainly(model: torch.nn.Module, optimizer, loader):
    for x, y in loader:
        plain_update(model, optimizer, torch.nn.functional.mse_loss(model(x), y))
