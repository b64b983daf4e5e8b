# torch 1.13: IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

ds = TensorDataset(torch.randn(50, 6), torch.randint(0, 2, (50,)))
loader = DataLoader(ds, batch_size=16)
net = nn.Linear(6, 2)
preds, targets = [], []
net.eval()
with torch.no_grad():
    for x, y in loader:
        out = net(x)
        preds.append(out.argmax(dim=1))
        targets.append(y)
preds = torch.cat(preds)
targets = torch.cat(targets)
cm = torch.zeros(2, 2)
for t, p in zip(targets, preds):
    cm[t, p] += 1
acc = (preds == targets).float().mean(dim=1)  # expect: DP604  # fixed: acc = (preds == targets).float().mean(dim=0)
print(acc, cm)
