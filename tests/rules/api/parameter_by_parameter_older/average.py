import torch


@torch.no_grad()
def average(mean: torch.nn.Module, model: torch.nn.Module, decay: float):
    for old, new in zip(mean.parameters(), model.parameters()):
        old.mul_(decay).add_(new, alpha=1 - decay)  # expect: DP192


def train(model: torch.nn.Module, mean: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
        average(mean, model, 0.999)
