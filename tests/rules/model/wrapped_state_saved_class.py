# The path is not known, but the class of the model is.
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


class Run:
    def __init__(self):
        self.model = DistributedDataParallel(Net().cuda())
        self.other = DistributedDataParallel(Other().cuda())

    def save(self, path):
        if dist.get_rank() == 0:
            torch.save(self.model.state_dict(), path)  # expect: DP876
            torch.save(self.other.state_dict(), path)


def save_prepared(accelerator, model, path):
    if accelerator.is_main_process:
        accelerator.save(model.state_dict(), path)  # expect: DP876


def save_unwrapped(accelerator, model, path):
    if accelerator.is_main_process:
        accelerator.save(accelerator.unwrap_model(model).state_dict(), path)


def train(loader, path):
    accelerator = Accelerator()
    model = Net()
    optimizer = torch.optim.Adam(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for x in loader:
        optimizer.zero_grad()
        accelerator.backward(model(x).mean())
        optimizer.step()
    save_prepared(accelerator, model, path)
    save_unwrapped(accelerator, model, path)


def load(path):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True), strict=True)
    return net.eval()
