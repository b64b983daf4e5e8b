"""The schedule is chosen by a configuration."""
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LambdaLR, StepLR
from torch.utils.data import DataLoader

SCHEDULES = {
    "cosine": lambda optimizer, config: CosineAnnealingLR(optimizer, T_max=config["epochs"]),
    "step": lambda optimizer, config: StepLR(optimizer, step_size=30),
    "warmup": lambda optimizer, config: LambdaLR(optimizer, lambda step: min(1.0, step / config["warmup"])),
}


def run_epoch(model, loader, optimizer, schedule):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        schedule.step()  # expect: DP872


def run_steps(model, loader, optimizer, schedule):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        schedule.step()


def run_any(model, loader, optimizer, schedule):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        schedule.step()


def run_either(model, loader, optimizer, schedule):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
        schedule.step()  # expect: DP872


def chosen(model: nn.Module, loader: DataLoader):
    config = {"epochs": 90, "schedule": "cosine"}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = SCHEDULES[config.get("schedule", "cosine")](optimizer, config)
    for epoch in range(config["epochs"]):
        run_epoch(model, loader, optimizer, schedule)


def counted_in_steps(model: nn.Module, loader: DataLoader):
    config = {"epochs": 90, "warmup": 1000, "schedule": "warmup"}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = SCHEDULES[config["schedule"]](optimizer, config)
    for epoch in range(config["epochs"]):
        run_steps(model, loader, optimizer, schedule)


def any_of_them(model: nn.Module, loader: DataLoader, name):
    config = {"epochs": 90, "warmup": 1000}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = SCHEDULES[name](optimizer, config)
    for epoch in range(config["epochs"]):
        run_any(model, loader, optimizer, schedule)


def one_of_two(model: nn.Module, loader: DataLoader, epochs, smooth):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedule = CosineAnnealingLR(optimizer, T_max=epochs) if smooth else StepLR(optimizer, step_size=30)
    for epoch in range(epochs):
        run_either(model, loader, optimizer, schedule)
