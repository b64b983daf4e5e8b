# update_params() of an OptimWrapper is a whole training step.
import torch
from mmengine.optim import build_optim_wrapper


def train(model: torch.nn.Module, loader, settings):
    optimizer = build_optim_wrapper(model, settings)
    total = 0.0
    for x in loader:
        loss = model(x.cuda()).sum()
        optimizer.update_params(loss)
        total += loss.item()  # expect: DP402
    return total


# A number is asked for in one branch, and a tensor in the other one; the same value twice in a line is one wait.
def per_stage(loss, step):
    if type(step) is int:
        return {int(step / 100): loss}
    elif type(step) is torch.Tensor:
        return {f"{float(step)}": loss}
    return {}


def staged(model: torch.nn.Module, loader, settings):
    optimizer = build_optim_wrapper(model, settings)
    found = []
    for x in loader:
        step = torch.randint(0, 100, (1,), device="cuda")
        loss = model(x.cuda()).sum()
        optimizer.update_params(loss)
        found.append((per_stage(loss, step), float(loss) + 2 * float(loss)))  # expect: DP402
    return found


# Nobody asks for the list.
def halved(x: torch.Tensor, keep_all: bool = False):
    seen = []
    for _ in range(100):
        x = x / 2
        if keep_all:
            seen.append(x.cpu())
    return x, seen


def halving(model: torch.nn.Module, loader, settings):
    optimizer = build_optim_wrapper(model, settings)
    total = 0.0
    for x in loader:
        loss = model(halved(x.cuda())[0]).sum()
        total += loss.item()  # expect: DP402
        optimizer.update_params(loss)
    return total
