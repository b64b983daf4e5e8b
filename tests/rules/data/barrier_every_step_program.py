import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, net, rank):
        self.rank = rank
        self.net = DDP(net.to(rank), device_ids=[rank])
        self.opt = torch.optim.AdamW(net.parameters())

    def sync(self):
        dist.barrier()  # expect: DP419

    def step(self, x, y):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = nn.functional.cross_entropy(self.net(x), y)
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        self.opt.step()
        self.sync()

    def epoch(self, loader):
        for x, y in loader:
            self.step(x.to(self.rank, non_blocking=True), y.to(self.rank, non_blocking=True))


def main(rank, world, loader):
    dist.init_process_group("nccl", rank=rank, world_size=world)
    t = Trainer(nn.Linear(4, 2), rank)
    for _ in range(10):
        t.epoch(loader)
