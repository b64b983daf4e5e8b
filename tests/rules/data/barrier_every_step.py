import torch
import torch.distributed as dist
from accelerate import Accelerator

accelerator = Accelerator()


def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer):
    for step, x in enumerate(loader):
        accelerator.backward(model(x).mean())
        optimizer.step()
        optimizer.zero_grad()
        dist.barrier()  # expect: DP419
        accelerator.wait_for_everyone()  # expect: DP419
        if step % 1000 == 0:
            dist.barrier()
    dist.barrier()
