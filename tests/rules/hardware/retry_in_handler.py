import torch


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()


def run(model: torch.nn.Module, loader, smaller, optimizer: torch.optim.Optimizer):
    try:
        train(model, loader, optimizer)
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
        train(model, smaller, optimizer)  # expect: DP518


def by_text(model: torch.nn.Module, loader, smaller, optimizer: torch.optim.Optimizer):
    try:
        train(model, loader, optimizer)
    except RuntimeError as error:
        if "out of memory" not in str(error):
            raise
        train(model, smaller, optimizer)  # expect: DP518


def after(model: torch.nn.Module, loader, smaller, optimizer: torch.optim.Optimizer):
    is_full = False
    try:
        train(model, loader, optimizer)
    except torch.cuda.OutOfMemoryError:
        is_full = True
    if is_full:
        train(model, smaller, optimizer)


def other(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    try:
        train(model, loader, optimizer)
    except KeyboardInterrupt:
        train(model, loader, optimizer)
    except RuntimeError:
        print("failed")
