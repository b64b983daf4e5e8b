# The state of a metric that is made here and moved nowhere is on the host.
import torch
import torch.nn as nn
import torchmetrics


class Quality(torchmetrics.Metric):
    def __init__(self):
        super().__init__()
        self.add_state("total", default=torch.tensor(0.0), dist_reduce_fx="sum")

    def update(self, x: torch.Tensor):
        self.total += len(x)

    def compute(self) -> torch.Tensor:
        return self.total


def train(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    values = []
    for x in loader:
        out = model(x.cuda())
        out.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        values.append(Quality()(out).item())
    return values


def train_with_name(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    metric = Quality()
    values = []
    for x in loader:
        out = model(x.cuda())
        out.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        metric.update(out)
        values.append(metric.compute().item())
    return values


def train_with_moved(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    metric = Quality().to("cuda")
    values = []
    for x in loader:
        out = model(x.cuda())
        out.sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        metric.update(out)
        values.append(metric.compute().item())  # expect: DP402
    return values
