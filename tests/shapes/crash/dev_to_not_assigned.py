# needs a GPU, not verified: the corrected program reads a number, which the device "meta" does not have
import torch
import torch.nn as nn


def evaluate(model, batches, device):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in batches:
            x.to(device)  # fixed: x = x.to(device)
            y = y.to(device)
            correct += (model(x).argmax(1) == y).sum().item()  # expect: DP608
    return correct


device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
net = nn.Linear(8, 3).to(device)
batches = [(torch.randn(4, 8), torch.randint(0, 3, (4,))) for _ in range(3)]
print(evaluate(net, batches, device))
