import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

DEPTH = 60
WIDTH = 16
BATCH = 4
STEPS = 40


def train(rank):
    dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/meet", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Sequential(*[nn.Linear(WIDTH, WIDTH) for _ in range(DEPTH)])
    model = DistributedDataParallel(model, find_unused_parameters=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = torch.randn(2, STEPS, BATCH, WIDTH)[rank]
    for x in batches:
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if rank == 0:
        torch.save(loss.detach(), "loss.pt")
    dist.destroy_process_group()


mp.start_processes(train, nprocs=2, start_method="fork")
result = torch.load("loss.pt")
