# What is saved has a name, in a method that gets the model.
import torch
import torch.distributed as dist
from accelerate import Accelerator
from torch.nn.parallel import DistributedDataParallel


class Keeper:
    def save(self, net, epoch):
        payload = {"epoch": epoch, "net": net.module.state_dict()}
        torch.save(payload, f"epoch_{epoch}.pt")  # expect: DP451

    def save_first(self, net, epoch):
        if dist.get_rank() != 0:
            return
        payload = {"epoch": epoch, "net": net.module.state_dict()}
        torch.save(payload, f"epoch_{epoch}.pt")


def train(net, loader, optimizer, epochs):
    model = DistributedDataParallel(net)
    keeper = Keeper()
    for epoch in range(epochs):
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
        keeper.save(model, epoch)
        keeper.save_first(model, epoch)


class Fitter:
    def __init__(self, net, loader):
        self.accelerator = Accelerator()
        self.net, self.loader = self.accelerator.prepare(net, loader)

    def save(self, epoch):
        torch.save(self.net.state_dict(), f"net_{epoch}.pt")  # expect: DP451

    def save_first(self, epoch):
        if self.accelerator.is_main_process:
            torch.save(self.net.state_dict(), f"net_{epoch}.pt")
