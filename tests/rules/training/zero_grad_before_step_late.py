import torch


def step_first(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.step()  # expect: DP828
        loss.backward()


def cleared_last(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        optimizer.step()  # expect: DP828
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.zero_grad()


# The gradients of the step before are used, and cleared after that.
def one_behind(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        optimizer.step()
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()


# What the closure computes is used by step() itself.
def with_closure(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x, y in loader:
        optimizer.zero_grad()

        def closure():
            loss = torch.nn.functional.mse_loss(model(x), y)
            loss.backward()
            return loss

        optimizer.step(closure)


def two(a: torch.nn.Module, b: torch.nn.Module, loader, first: torch.optim.Optimizer, second: torch.optim.Optimizer):
    for x, y in loader:
        first.zero_grad()
        second.step()
        loss = torch.nn.functional.mse_loss(a(x), y) + torch.nn.functional.mse_loss(b(x), y)
        second.zero_grad()
        loss.backward()
        first.step()
