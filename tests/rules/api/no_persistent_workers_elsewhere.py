import os

import torch
from torch.utils.data import DataLoader


@torch.no_grad()
def evaluate(model: torch.nn.Module, loader):
    model.eval()
    total = torch.zeros((), device="cuda")
    for x in loader:  # hint: DP147
        total += model(x.cuda(non_blocking=True)).sum()
    model.train()
    return total


def run(model: torch.nn.Module, train, valid, optimizer: torch.optim.Optimizer):
    options = dict(batch_size=4, num_workers=os.cpu_count(), pin_memory=True)
    train_loader = DataLoader(train, shuffle=True, **options)
    valid_loader = DataLoader(valid, **options)
    for epoch in range(50):
        for x in train_loader:  # expect: DP147
            optimizer.zero_grad()
            model(x.cuda(non_blocking=True)).mean().backward()
            optimizer.step()
        evaluate(model, valid_loader)
