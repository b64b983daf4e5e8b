import torch
from torch.nn.parallel import DistributedDataParallel


class Process:
    def losses(self, model, x: torch.Tensor, y: torch.Tensor):
        return (model(x) - y).mean()


def train(net: torch.nn.Module, loader, optimizer, rank: int):
    model = DistributedDataParallel(net, device_ids=[rank])
    process = Process()
    for x, y in loader:
        loss = process.losses(model, x, y)  # expect: DP513
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
