import torch
from torch import nn

LAYERS = 40
SIZE = 128
STEPS = 60

torch.manual_seed(0)
model = nn.Sequential(*(nn.Linear(SIZE, SIZE) for _ in range(LAYERS)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(STEPS, 8, SIZE)
losses = []
for step in range(STEPS):
    optimizer.zero_grad(set_to_none=False)
    loss = model(x[step]).pow(2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
