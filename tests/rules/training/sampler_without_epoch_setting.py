# Whether the sampler shuffles is a parameter; the training takes its default.
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def build(data, world, rank, training=True):
    sampler = DistributedSampler(data, num_replicas=world, rank=rank, shuffle=training)  # expect: DP829
    return DataLoader(data, batch_size=32, sampler=sampler, num_workers=4, pin_memory=True, persistent_workers=True)


def in_order(data, world, rank, training=False):
    sampler = DistributedSampler(data, num_replicas=world, rank=rank, shuffle=training)
    return DataLoader(data, batch_size=32, sampler=sampler, num_workers=4, pin_memory=True, persistent_workers=True)


def main(model: torch.nn.Module, data, other, world, rank, epochs):
    loader = build(data, world, rank)
    again = in_order(other, world, rank)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        for x, y in again:
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
