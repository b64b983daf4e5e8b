import torch
import torch.nn.functional as F


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    show = lambda value: print(value.item())
    keep = lambda value: value.detach()
    last = None
    for x, y in loader:
        x, y = x.to("cuda", non_blocking=True), y.to("cuda", non_blocking=True)
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        show(loss)  # expect: DP402
        last = keep(loss)
    return last
