import contextlib
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def train(rank, loader, accum=4):
    net = DDP(nn.Linear(512, 512).to(rank), device_ids=[rank])
    opt = torch.optim.AdamW(net.parameters())
    for i, (x, y) in enumerate(loader):
        x, y = x.to(rank, non_blocking=True), y.to(rank, non_blocking=True)
        last = (i + 1) % accum == 0
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = nn.functional.mse_loss(net(x), y) / accum
        loss.backward()  # expect: DP440
        if last:
            opt.step()
            opt.zero_grad(set_to_none=True)


def main(rank, world, loader):
    torch.distributed.init_process_group("nccl", rank=rank, world_size=world)
    for _ in range(10):
        train(rank, loader)
