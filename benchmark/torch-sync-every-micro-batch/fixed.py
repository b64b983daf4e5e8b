import contextlib
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WIDTH = 400
BATCH = 2
UPDATES = 3
ACCUMULATE = 16


def train(rank):
    dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/meet", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(*[nn.Linear(WIDTH, WIDTH) for _ in range(6)]))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = torch.randn(2, UPDATES * ACCUMULATE, BATCH, WIDTH)[rank]
    for step, x in enumerate(batches):
        is_last = (step + 1) % ACCUMULATE == 0
        with contextlib.nullcontext() if is_last else model.no_sync():
            loss = model(x).pow(2).mean() / ACCUMULATE
            loss.backward()
        if is_last:
            optimizer.step()
            optimizer.zero_grad()
    if rank == 0:
        torch.save(model.module.state_dict(), "weights.pt")
    dist.destroy_process_group()


mp.start_processes(train, nprocs=2, start_method="fork")
result = {name: value.sum() for name, value in torch.load("weights.pt").items()}
