import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8))

    def forward(self, x):
        return self.features(x)


def save(path, model, epoch):
    if dist.get_rank() == 0:
        torch.save({"epoch": epoch, "model": model.state_dict()}, path)  # expect: DP876


def load(path):
    model = Net()
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"], strict=False)
    return model.eval()


def train(local, path, step):
    dist.init_process_group("nccl")
    model = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(Net()).to(local), device_ids=[local])
    for epoch in range(30):
        step(model)
        save(path, model, epoch)


if __name__ == "__main__":
    load(sys.argv[1])
