import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

SAMPLES = 64
VALID = 768
SIDE = 28
BATCH = 16
EPOCHS = 2


def train(rank):
    dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/meet", rank=rank, world_size=2)
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(SAMPLES, 1, SIDE, SIDE))
    sampler = DistributedSampler(data, shuffle=False)
    loader = DataLoader(data, batch_size=BATCH, sampler=sampler)
    valid = DataLoader(TensorDataset(torch.randn(VALID, 1, SIDE, SIDE)), batch_size=BATCH)
    model = DistributedDataParallel(nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            loss = model(x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            total = 0.0
            with torch.no_grad():
                for (x,) in valid:
                    total += model.module(x).pow(2).sum().item()
            torch.save(torch.tensor(total), "score.pt")
    dist.destroy_process_group()


mp.start_processes(train, nprocs=2, start_method="fork")
result = torch.load("score.pt")
