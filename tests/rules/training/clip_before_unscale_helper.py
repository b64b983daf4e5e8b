import torch
import torch.nn as nn
import torch.nn.functional as F


class Trainer:
    def __init__(self, model: nn.Module):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cuda")

    def apply(self):
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)  # expect: DP827
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def fit(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.mse_loss(self.model(x), y)
            self.scaler.scale(loss).backward()
            self.apply()


class Right:
    def __init__(self, model: nn.Module):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.scaler = torch.amp.GradScaler("cuda")

    def apply(self):
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()

    def fit(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.mse_loss(self.model(x), y)
            self.scaler.scale(loss).backward()
            self.apply()
