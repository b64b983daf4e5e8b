import os
import tempfile

import torch
from torch import nn

BATCH = 8
STEPS = 80
WIDTH = 512

torch.manual_seed(0)
folder = tempfile.mkdtemp()
model = nn.Sequential(nn.Linear(64, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
x = torch.randn(STEPS, BATCH, 64)
y = torch.randint(10, (STEPS, BATCH))
for step in range(STEPS):
    loss = criterion(model(x[step]), y[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    torch.save({"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()},
               os.path.join(folder, "last.pt"))

restored = torch.load(os.path.join(folder, "last.pt"))
result = [restored["step"], loss.item()]
