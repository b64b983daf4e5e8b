# torch 1.13: RuntimeError: 0D or 1D target tensor expected, multi-target not supported
import torch
import torch.nn as nn
from torch.utils.data import TensorDataset, DataLoader

X = torch.randn(200, 20)
y = torch.randint(0, 5, (200, 1))
#+ y = y.squeeze(1)
loader = DataLoader(TensorDataset(X, y), batch_size=32, shuffle=True)

model = nn.Sequential(
    nn.Linear(20, 64),
    nn.ReLU(),
    nn.Linear(64, 5),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())

for epoch in range(2):
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        logits = model(xb)
        loss = criterion(logits, yb)  # expect: DP605
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(epoch, total)
