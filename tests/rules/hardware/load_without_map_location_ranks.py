import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Checkpoints:
    def __init__(self, path, rank):
        self.path, self.rank = path, rank

    def save(self, model, optimizer):
        if self.rank == 0:
            torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict()}, self.path)

    def restore(self, model, optimizer):
        checkpoint = torch.load(self.path, weights_only=True)  # expect: DP516
        model.module.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])

    def restore_well(self, model, optimizer):
        checkpoint = torch.load(self.path, map_location="cpu", weights_only=True)
        model.module.load_state_dict(checkpoint["model"])
        optimizer.load_state_dict(checkpoint["optimizer"])

    def best(self):
        return torch.load("scores.pt", weights_only=True)  # hint: DP516


def resume(optimizer, path):
    optimizer.load_state_dict(torch.load(path, weights_only=True)["optimizer"])  # expect: DP516


def first_only(model, optimizer, path, rank):
    if rank == 0:
        checkpoint = torch.load(path, weights_only=True)  # hint: DP516
        optimizer.load_state_dict(checkpoint["optimizer"])


def main(net: torch.nn.Module):
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    model = DistributedDataParallel(net.cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    checkpoints = Checkpoints("last.pt", dist.get_rank())
    checkpoints.restore(model, optimizer)
    resume(optimizer, "last.pt")
    first_only(model, optimizer, "last.pt", dist.get_rank())
    checkpoints.save(model, optimizer)
