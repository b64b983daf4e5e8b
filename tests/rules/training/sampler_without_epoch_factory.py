import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler


def build_loader(data, split, workers):
    sampler = DistributedSampler(data, shuffle=split == "train", drop_last=split == "train")  # expect: DP829
    return DataLoader(data, batch_size=64, sampler=sampler, num_workers=workers, pin_memory=True, persistent_workers=True)


def build_in_order(data, split, workers):
    sampler = DistributedSampler(data, shuffle=split == "other")
    return DataLoader(data, batch_size=64, sampler=sampler, num_workers=workers, pin_memory=True, persistent_workers=True)


class Loaders:
    def __init__(self, data, train):
        kwargs = dict(shuffle=train, drop_last=True)
        self.sampler = DistributedSampler(data, **kwargs)  # expect: DP829


class Task:
    def __init__(self, net, train_set, val_set, workers):
        self.net = net
        self.train_loader = build_loader(train_set, "train", workers)
        self.val_loader = build_loader(val_set, "val", workers)
        self.plain = build_in_order(val_set, "val", workers), build_in_order(train_set, "train", workers)
        self.samplers = Loaders(train_set, True), Loaders(val_set, train=False)
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)

    def train_epoch(self):
        for x, y in self.train_loader:
            self.opt.zero_grad()
            F.cross_entropy(self.net(x), y).backward()
            self.opt.step()


def main(net, train_set, val_set):
    task = Task(net, train_set, val_set, 8)
    for epoch in range(90):
        task.train_epoch()
