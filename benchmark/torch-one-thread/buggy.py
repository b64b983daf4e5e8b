import torch
from torch import nn

BATCH = 2048
STEPS = 8
WIDTH = 768

torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(128, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(BATCH, 128)
y = torch.randint(10, (BATCH,))
losses = []
for step in range(STEPS):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
