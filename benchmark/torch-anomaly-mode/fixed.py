import torch
from torch import nn

BATCH = 16
STEPS = 20
LENGTH = 30

torch.manual_seed(0)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.inputs = nn.Linear(4, 24)
        self.recurrent = nn.Linear(24, 24)
        self.head = nn.Linear(24, 1)

    def forward(self, x):
        projected = self.inputs(x)
        h = torch.zeros(x.shape[0], 24)
        for t in range(x.shape[1]):
            h = torch.tanh(projected[:, t] + self.recurrent(h)) * 0.9 + h * 0.1
        return self.head(h)


model = Regressor()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
series = torch.randn(BATCH, LENGTH, 4)
targets = series.mean(dim=(1, 2)).unsqueeze(1)
losses = []
for step in range(STEPS):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(series), targets)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
