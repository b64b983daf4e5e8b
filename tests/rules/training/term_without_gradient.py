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


# The time step is drawn, not computed from the model: it scales the prediction and is no part of the loss.
def drawn(latents, noise, density):
    u = density(latents)
    steps = (u * 1000).long()
    sigmas = steps.view(-1, 1) / 1000
    return sigmas * noise + (1 - sigmas) * latents, steps, sigmas


def diffused(model: nn.Module, loader, optimizer: torch.optim.Optimizer, density):
    for latents, noise in loader:
        noisy, steps, sigmas = drawn(latents, noise, density)
        out = model(noisy)
        out = out * (-sigmas) + noisy
        loss = F.mse_loss(out, noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# In evaluation it returns which answer ranks first; only the other branch is a loss.
class Answers(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 4)

    def forward(self, x, y=None, train=True):
        if train:
            return F.cross_entropy(self.head(x), y)
        return self.rank(x)

    def rank(self, x):
        with torch.no_grad():
            scores = self.head(x)
        return scores.argmax(dim=1)


def answer(model: Answers, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        loss = model(x, y, train=True)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# A mask from the predictions is a factor: the loss that it selects has the gradient.
def sure(logits):
    return (logits.sigmoid() > 0.9).float()


def selected(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        out = model(x)
        each = F.binary_cross_entropy_with_logits(out, y, reduction="none")
        loss = (sure(out) * each).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# Two results of one function, of which the second is added to the loss
def both(logits, target):
    hard = (logits.sigmoid() > 0.5).float()  # expect: DP923
    return logits.sigmoid(), 1 - (hard * target).mean()


def with_second(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        out = model(x)
        probs, overlap = both(out, y)
        loss = F.binary_cross_entropy(probs, y) + overlap
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
