import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

SAMPLES = 1024
WIDTH = 256
BATCH = 16
EPOCHS = 2


def train(rank):
    dist.init_process_group("gloo", init_method=f"file://{os.getcwd()}/meet", rank=rank, world_size=2)
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(SAMPLES, WIDTH), torch.randint(4, (SAMPLES,)))
    model = DistributedDataParallel(nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 4)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(data, batch_size=BATCH, shuffle=True)
    for epoch in range(EPOCHS):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(loss.detach(), "loss.pt")
    dist.destroy_process_group()


mp.start_processes(train, nprocs=2, start_method="fork")
result = torch.load("loss.pt")
