import torch
import torch.nn.functional as F


class Amp:
    def __init__(self):
        self.grad_scaler = torch.amp.GradScaler("cuda")

    def apply(self, loss, optimizer):
        self.grad_scaler.scale(loss).backward()
        self.grad_scaler.step(optimizer)
        finish(self.grad_scaler)


def finish(scaler):
    scaler.update()


def train(model: torch.nn.Module, optimizer: torch.optim.Optimizer, loader):
    amp = Amp()
    for x, y in loader:
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.mse_loss(model(x), y)
        amp.apply(loss, optimizer)
