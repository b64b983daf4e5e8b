import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WIDTH = 1500
ROUNDS = 3


def train(rank):
    dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/meet", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(*[nn.Linear(WIDTH, WIDTH) for _ in range(2)]))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(2, 4, WIDTH)[rank]
    for epoch in range(ROUNDS):
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            torch.save(model.module.state_dict(), f"weights-{epoch}.pt")
        dist.barrier()
    dist.destroy_process_group()


mp.start_processes(train, nprocs=2, start_method="fork")
result = os.path.getsize(f"weights-{ROUNDS - 1}.pt")
