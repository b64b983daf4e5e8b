"""The order of compiling and wrapping."""
import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def build(model, rank):
    model = model.to(rank)
    model = torch.compile(model)
    model = DDP(model, device_ids=[rank])  # expect: DP260
    return model


def at_once(model, rank):
    return DDP(torch.compile(model.to(rank)), device_ids=[rank])  # expect: DP260


def right(model, rank):
    model = DDP(model.to(rank), device_ids=[rank])
    return torch.compile(model)


def plain(model, rank):
    return DDP(model.to(rank), device_ids=[rank])
