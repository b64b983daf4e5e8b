import torch
import torch.nn as nn
import torch.nn.functional as F


def hard_dice(logits, target):
    pred = (logits.sigmoid() > 0.5).float()  # expect: DP923
    inter = (pred * target).sum()
    return 1 - 2 * inter / (pred.sum() + target.sum() + 1)


class Rounded(nn.Module):
    def forward(self, inputs, targets):
        probs = torch.sigmoid(inputs)
        probs = torch.round(probs)  # expect: DP923
        inter = (probs * targets).flatten(1).sum(1)
        union = probs.flatten(1).sum(1) + targets.flatten(1).sum(1)
        return 1 - (2 * inter / union.clamp(min=1)).mean()


def soft_dice(logits, target):
    pred = logits.sigmoid()
    inter = (pred * target).sum()
    return 1 - 2 * inter / (pred.sum() + target.sum() + 1)


def masked(logits, target):
    sure = (logits.sigmoid() > 0.9).float()
    return (F.binary_cross_entropy_with_logits(logits, target, reduction="none") * sure).mean()


def accuracy(logits, target):
    return (logits.argmax(1) == target).float().mean()


def train(model: nn.Module, head: nn.Module, loader, optimizer: torch.optim.Optimizer):
    rounded = Rounded()
    for x, y in loader:
        out = model(x)
        loss = F.binary_cross_entropy_with_logits(out, y) + hard_dice(out, y) + rounded(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def regularized(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        penalty = sum(p.pow(2).sum() for p in model.parameters())
        loss = F.mse_loss(model(x), y) + 1e-4 * penalty.item()  # expect: DP923
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def weights_of(model):
    return sum((p.data**2).sum() for p in model.parameters())  # expect: DP923


def decayed(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        loss = F.mse_loss(model(x), y) + 1e-4 * weights_of(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def right(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    hits = torch.zeros(())
    for x, y in loader:
        out = model(x)
        penalty = sum(p.pow(2).sum() for p in model.parameters())
        loss = F.binary_cross_entropy_with_logits(out, y) + soft_dice(out, y) + masked(out, y) + 1e-4 * penalty
        weight = (out.detach() > 0).float().mean()
        loss = loss * weight
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        hits += accuracy(out, y)
    return hits


def quantized(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        out = model(x)
        straight_through = out + (out.round() - out).detach()
        loss = F.mse_loss(straight_through, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def total_under_a_name(logits: torch.Tensor):
    total = logits.sum
    return total()


def step_with_total(model: torch.nn.Module, x, optimizer: torch.optim.Optimizer):
    loss = total_under_a_name(model(x))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
