import torch
import torch.nn as nn
import torch.nn.functional as F


def plain(model: nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()  # expect: DP910
        loss = F.cross_entropy(model(x), y) / 4
        loss.backward()
        if (i + 1) % 4 == 0:
            optimizer.step()


def by_name(model: nn.Module, loader, accumulate):
    optimizer = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(loader, 1):
        loss = F.cross_entropy(model(x), y) / accumulate
        optimizer.zero_grad(set_to_none=True)  # expect: DP910
        loss.backward()
        last = i % accumulate == 0
        if last:
            optimizer.step()


def behind(model: nn.Module, loader):
    optimizer = torch.optim.AdamW(model.parameters())
    for i, (x, y) in enumerate(loader):
        (F.cross_entropy(model(x), y) / 8).backward()
        if i % 8 == 7:
            optimizer.step()
        optimizer.zero_grad()  # expect: DP910


def scaled(model: nn.Module, loader):
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cuda")
    for i, (x, y) in enumerate(loader):
        model.zero_grad()  # expect: DP910
        with torch.autocast("cuda", dtype=torch.float16):
            loss = F.cross_entropy(model(x), y) / 8
        scaler.scale(loss).backward()
        if (i + 1) % 8 == 0:
            scaler.step(optimizer)
            scaler.update()


class Loop:
    def __init__(self, model: nn.Module, k=4):
        self.model, self.k = model, k
        self.optimizer = torch.optim.AdamW(model.parameters())

    def epoch(self, loader):
        for i, (x, y) in enumerate(loader, 1):
            self.optimizer.zero_grad()  # expect: DP910
            loss = F.cross_entropy(self.model(x), y) / self.k
            loss.backward()
            if i % self.k == 0:
                self.optimizer.step()


# ---- Silent: cleared with the step, or before each step, or for another model


def right(model: nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        (F.cross_entropy(model(x), y) / 4).backward()
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()


def no_accumulation(model: nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


def micro_batches(model: nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        for a, b in zip(x.chunk(4), y.chunk(4)):
            (F.cross_entropy(model(a), b) / 4).backward()
        optimizer.step()


def skipped(model: nn.Module, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        if loss < 100:  # hint: DP402
            optimizer.step()


def two_models(critic: nn.Module, actor: nn.Module, loader):
    first = torch.optim.SGD(critic.parameters(), lr=0.1)
    second = torch.optim.SGD(actor.parameters(), lr=0.1)
    for i, x in enumerate(loader):
        first.zero_grad()
        critic(x).mean().backward()
        first.step()
        second.zero_grad()
        if i % 2 == 0:
            critic(actor(x)).mean().backward()
            second.step()
