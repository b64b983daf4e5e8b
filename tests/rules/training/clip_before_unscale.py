import torch
from torch import autocast
from torch.amp import GradScaler
from torch.nn.utils import clip_grad_norm_


def step(model, x, y, loss_function, optimizer):
    scaler = torch.amp.GradScaler("cuda")
    with torch.autocast("cuda"):
        loss = loss_function(model(x), y)
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: DP827
    scaler.step(optimizer)
    scaler.update()


class Learner:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer
        self.scaler = GradScaler("cuda")

    def fit(self, batches):
        for i, x in enumerate(batches):
            self.optimizer.zero_grad()
            with autocast("cuda"):
                loss = self.model(x)
            self.scaler.scale(loss).backward()
            if i % 2 == 0:
                clip_grad_norm_(self.model.parameters(), 1.0)  # expect: DP827
            self.scaler.step(self.optimizer)
            self.scaler.update()


def right(model, x, optimizer, scaler: GradScaler):
    scaler = GradScaler("cuda")
    with autocast("cuda"):
        loss = model(x)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()


def in_both_branches(model, x, optimizer, batches, accumulate):
    scaler = GradScaler("cuda")
    for x in batches:
        optimizer.zero_grad()
        if accumulate:
            scaler.scale(model(x)).backward()
            scaler.unscale_(optimizer)
            clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
        else:
            scaler.scale(model(x)).backward()
            scaler.unscale_(optimizer)
            clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)


def without_scaler(model, x, optimizer):
    model(x).backward()
    clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


def clipped_by_value(model, x, optimizer):
    scaler = GradScaler("cuda")
    scaler.scale(model(x)).backward()
    torch.nn.utils.clip_grad_value_(model.parameters(), 0.1)  # expect: DP827
    scaler.step(optimizer)
