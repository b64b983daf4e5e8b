import torch
from torch import nn

BATCH = 32
LENGTH = 100
SENSORS = 1024
HIDDEN = 64
STEPS = 6


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(SENSORS, HIDDEN)
        self.head = nn.Linear(HIDDEN, 2)

    def forward(self, x):
        h = torch.zeros(x.shape[0], HIDDEN)
        c = torch.zeros(x.shape[0], HIDDEN)
        for t in range(x.shape[1]):
            h, c = self.cell(x[:, t], (h, c))
        return self.head(h)


torch.manual_seed(0)
model = Encoder()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
series = torch.randn(BATCH, LENGTH, SENSORS)
labels = torch.arange(BATCH) % 2
losses = []
for step in range(STEPS):
    loss = nn.functional.cross_entropy(model(series), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
