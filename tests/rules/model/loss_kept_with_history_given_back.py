import torch
import torch.distributed as dist


def mean_of(tensor: torch.Tensor, group=None) -> torch.Tensor:
    dist.all_reduce(tensor=tensor, group=group)
    tensor.div_(dist.get_world_size())
    return tensor


def scaled(tensor: torch.Tensor, factor) -> torch.Tensor:
    tensor = tensor * factor
    return tensor


def train(model: torch.nn.Module, scale: torch.nn.Parameter, loader, optimizer, group):
    entropies = []
    losses = []
    factors = []
    for x, y in loader:
        optimizer.zero_grad()
        out = model(x)
        loss = torch.nn.functional.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        entropies.append(mean_of(out.softmax(-1).sum(-1).detach(), group))
        losses.append(mean_of(loss, group))  # expect: DP230
        factors.append(scaled(loss, scale))  # expect: DP230
    return entropies, losses, factors
