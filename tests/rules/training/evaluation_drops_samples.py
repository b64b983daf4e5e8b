import torch
from torch.utils.data import DataLoader, Dataset


@torch.no_grad()
def evaluate(model: torch.nn.Module, loader):
    model.eval()
    correct = torch.zeros((), device="cuda")
    for x, y in loader:
        correct += (model(x.cuda(non_blocking=True)).argmax(1) == y.cuda(non_blocking=True)).sum()
    return correct


def run(model: torch.nn.Module, train: Dataset, valid: Dataset, test: Dataset):
    shared = dict(batch_size=64, num_workers=4, pin_memory=True, persistent_workers=True)
    valid_loader = DataLoader(valid, shuffle=False, drop_last=True, **shared)  # expect: DP896
    test_loader = DataLoader(test, **shared)
    mixed = DataLoader(train, shuffle=True, drop_last=True, **shared)
    return evaluate(model, valid_loader), evaluate(model, test_loader), evaluate(model, mixed)
