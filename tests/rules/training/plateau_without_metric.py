import torch
from torch.optim.lr_scheduler import ReduceLROnPlateau


def no_metric(model: torch.nn.Module, run_epoch, evaluate):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = ReduceLROnPlateau(optimizer, "min", patience=3)
    for epoch in range(90):
        run_epoch(model, optimizer)
        scheduler.step()  # expect: DP919


def number_of_epoch(model: torch.nn.Module, run_epoch, evaluate):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = ReduceLROnPlateau(optimizer, patience=3)
    for epoch in range(1, 91):
        run_epoch(model, optimizer)
        scheduler.step(epoch)  # expect: DP919


class Trainer:
    def __init__(self, model: torch.nn.Module):
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, factor=0.5)
        self.other = torch.optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, mode="max")

    def end_epoch(self, metrics):
        self.scheduler.step(metrics["val_f1"])  # expect: DP919
        self.other.step(metrics["val_loss"])  # expect: DP919
        self.other.step(metrics["val_f1"])
        self.scheduler.step(metrics["val_loss"])
        self.scheduler.step(-metrics["val_f1"])
        self.scheduler.step(metrics["score"])


def other_schedule(model: torch.nn.Module, run_epoch):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
    for epoch in range(90):
        run_epoch(model, optimizer)
        scheduler.step()
