import torch
import torch.nn.functional as F
from accelerate import Accelerator


def past(model: torch.nn.Module, optimizer, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        loss.backward()  # expect: DP879
        optimizer.step()
        optimizer.zero_grad()


def in_float32(model: torch.nn.Module, optimizer, loader):
    accelerator = Accelerator()
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        loss.backward()  # hint: DP879
        optimizer.step()
        optimizer.zero_grad()


def through(model: torch.nn.Module, optimizer, loader):
    accelerator = Accelerator(mixed_precision="fp16")
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


def without(model: torch.nn.Module, optimizer: torch.optim.Optimizer, loader):
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
