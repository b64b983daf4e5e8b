import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.out = nn.Conv2d(3, classes, 1)

    def forward(self, x):
        return self.out(x)


def hits(logits, target):
    found = logits.argmax(1).to(logits.device)
    return (found == target).sum()


def loss_and_hits(logits, target):
    return nn.functional.cross_entropy(logits, target), (logits.argmax(1) == target).sum()


@torch.inference_mode()
def evaluate(loader):
    model = Net().cuda().eval()
    logits, targets = [], []
    for image, target in loader:
        logits.append(model(image.cuda(non_blocking=True)))  # expect: DP450
        targets.append(target.cuda(non_blocking=True))
    return hits(torch.cat(logits), torch.cat(targets))


@torch.inference_mode()
def evaluate_loss(loader):
    model = Net().cuda().eval()
    logits, targets = [], []
    for image, target in loader:
        logits.append(model(image.cuda(non_blocking=True)))
        targets.append(target.cuda(non_blocking=True))
    return loss_and_hits(torch.cat(logits), torch.cat(targets))


@torch.inference_mode()
def evaluate_in_batches(loader):
    model = Net().cuda().eval()
    total = torch.zeros((), device="cuda")
    for image, target in loader:
        total += hits(model(image.cuda(non_blocking=True)), target.cuda(non_blocking=True))
    return total
