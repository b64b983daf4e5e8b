import torch
from torch.utils.data import DataLoader, DistributedSampler


def train(net, loader, optimizer):
    for epoch in range(10):
        for x in loader:
            optimizer.zero_grad()
            net(x).mean().backward()
            optimizer.step()


def main(net, dataset):
    sampler = DistributedSampler(dataset)  # expect: DP829
    loader = DataLoader(dataset, batch_size=64, sampler=sampler, num_workers=4, persistent_workers=True)
    train(net, loader, torch.optim.SGD(net.parameters(), lr=0.1))
