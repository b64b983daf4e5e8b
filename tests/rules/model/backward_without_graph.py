import torch
import torch.nn as nn
import torch.nn.functional as F


@torch.no_grad()
def decorated(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()  # expect: DP269
        optimizer.step()


def unreduced(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    criterion = nn.CrossEntropyLoss(reduction="none")
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()  # expect: DP269
        optimizer.step()


def unreduced_function(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y, reduction="none").backward()  # expect: DP269
        optimizer.step()


def validate(model: nn.Module, loader):
    model.eval()
    torch.set_grad_enabled(False)  # expect: DP269
    return sum(F.mse_loss(model(x), y) for x, y in loader)


def train(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    for epoch in range(10):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        validate(model, loader)


def weighted(model: nn.Module, loader, optimizer: torch.optim.Optimizer):
    criterion = nn.CrossEntropyLoss(reduction="none")
    for x, y, weight in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward(weight)
        optimizer.step()
        optimizer.zero_grad()
        (criterion(model(x), y) * weight).mean().backward()
        optimizer.step()


class Book(nn.Module):
    def training_step(self, batch):
        return self.loss(self(batch[0]), batch[1])


def recorded_before(model: Book, loader, optimizer: torch.optim.Optimizer):
    for batch in loader:
        loss = model.training_step(batch)
        optimizer.zero_grad()
        with torch.no_grad():
            loss.backward()
            optimizer.step()


@torch.no_grad()
def passed(loss, optimizer: torch.optim.Optimizer):
    loss.backward()
    optimizer.step()
