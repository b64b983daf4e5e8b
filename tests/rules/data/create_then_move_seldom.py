from drawing import show

import pytorch_lightning as pl
import torch
import torch.nn as nn


class Demo(pl.Callback):
    def __init__(self, every):
        self.every = every

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        if trainer.global_step % self.every != 0:
            return
        noise = torch.randn([4, 8, 512]).to(module.device)  # hint: DP401
        self.draw(module, noise)
        torch.cuda.empty_cache()

    def draw(self, module, noise):
        steps = torch.linspace(0, 1, 50).to(module.device)  # hint: DP401
        print(module(noise, steps))


class Each(pl.Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        noise = torch.randn([4, 8, 512]).to(module.device)  # expect: DP401
        module(noise)
        torch.cuda.empty_cache()  # expect: DP134


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid = torch.empty(1)

    def forward(self, x):
        if self.grid.shape[2:4] != x.shape[2:4]:
            self.grid = torch.ones(x.shape[2], x.shape[3]).to(x.device)  # hint: DP401
        if x.shape != self.grid.shape:
            x = x + torch.ones(x.shape[2], x.shape[3]).to(x.device)  # expect: DP401
        return x * self.grid


class Assigner(nn.Module):
    def forward(self, scores, boxes):
        if boxes.size(1) == 0:
            return torch.zeros(scores.size(0), 4).to(boxes.device)  # hint: DP401
        weights = torch.ones(scores.size(0), 4).to(boxes.device)  # expect: DP401
        return weights * scores


class Exported(torch.autograd.Function):
    @staticmethod
    def forward(ctx, boxes):
        return torch.zeros((100,)).to(boxes.device)  # hint: DP401

    @staticmethod
    def symbolic(g, boxes):
        return g.op("NonMaxSuppression", boxes)


def train(model: nn.Module, loader, optimizer, device):
    model.to(device)
    for step, x in enumerate(loader):
        loss = model(x.to(device)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 100 == 0:
            show(model, torch.ones(4, 8).to(device))  # hint: DP401
        if step % 100:
            continue
        show(model, torch.zeros(4, 8).to(device))  # hint: DP401


def evaluate(models: list, device):
    for path in models:
        model = Head().to(device)
        model(torch.zeros(1, 3, 64, 64).to(device))  # hint: DP401
        show(model, path)


class Periods(nn.Module):
    def forward(self, x, period):
        if x.shape[1] % period != 0:
            padding = torch.zeros(x.shape[0], period).to(x.device)  # expect: DP401
            x = torch.cat([x, padding], dim=1)
        return x
