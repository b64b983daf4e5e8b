# What a helper reads back, though it is also called under a setting; bounds that have to become numbers; batches that
# are drawn by hand.
import torch
from torch import nn


def to_host(x: torch.Tensor):
    return x.detach().cpu()


def loss_of(out: torch.Tensor, y: torch.Tensor):
    loss = nn.functional.cross_entropy(out, y)
    return loss, to_host(loss)


def train(model: nn.Module, loader: torch.utils.data.DataLoader, optimizer: torch.optim.Optimizer, verbose: bool):
    model.cuda()
    for x, y in loader:
        loss, seen = loss_of(model(x.cuda()), y.cuda())  # expect: DP402
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if verbose:
            print(to_host(loss))


def train_verbose(model: nn.Module, loader: torch.utils.data.DataLoader, optimizer, verbose: bool):
    model.cuda()
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if verbose:
            print(to_host(loss))  # hint: DP402


def train_clamped(model: nn.Module, loader: torch.utils.data.DataLoader, optimizer: torch.optim.Optimizer):
    model.cuda()
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = model(x).clamp(0, y.max() - 1)  # expect: DP402
        loss = nn.functional.mse_loss(out, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def train_clamped_by_tensors(model: nn.Module, loader: torch.utils.data.DataLoader, optimizer: torch.optim.Optimizer):
    model.cuda()
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        out = model(x).clamp(y.min(), y.max()).clamp(0, 255).clamp(max=y.max())
        loss = nn.functional.mse_loss(out, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def train_drawn(model: nn.Module, loader: torch.utils.data.DataLoader, optimizer: torch.optim.Optimizer, steps: int):
    model.cuda()
    batches = iter(loader)
    for step in range(steps):
        parts = [next(batches) for _ in range(4)]
        count = torch.stack([y.ne(0).sum().cuda() for _, y in parts]).sum().item()  # expect: DP402
        for x, y in parts:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda(), reduction="sum") / count
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
