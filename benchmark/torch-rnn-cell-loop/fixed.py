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
        self.rnn = nn.LSTM(SENSORS, HIDDEN, batch_first=True)
        self.head = nn.Linear(HIDDEN, 2)

    def forward(self, x):
        _, (h, _) = self.rnn(x)
        return self.head(h[-1])


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
