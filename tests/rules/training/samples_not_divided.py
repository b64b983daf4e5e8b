import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset


def main(net, x, y):
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    model = DDP(net.to(local), device_ids=[local])
    data = TensorDataset(x, y)
    loader = DataLoader(data, batch_size=64, shuffle=True, num_workers=4, pin_memory=True)  # expect: DP885
    held_out = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x.to(local, non_blocking=True)), y.to(local, non_blocking=True))
        loss.backward()
        optimizer.step()
    return held_out
