import torch
from torch import nn

STEPS = 300
WIDTH = 32
DECAY = 0.99


class Average:
    def __init__(self, model):
        self.weights = {name: p.detach().clone() for name, p in model.named_parameters()}

    def update(self, model):
        for name, p in model.named_parameters():
            self.weights[name] = DECAY * self.weights[name] + (1 - DECAY) * p


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
average = Average(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(16, WIDTH)
for step in range(STEPS):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update(model)

result = [value.sum().item() for value in average.weights.values()]
