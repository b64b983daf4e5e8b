import torch
from torch import nn

BATCH = 32
SIZE = 128
STEPS = 60


class Whitening(nn.Module):
    def __init__(self, covariance):
        super().__init__()
        self.register_buffer("covariance", covariance)

    def forward(self, x):
        values, vectors = torch.linalg.eigh(self.covariance)
        return x @ (vectors * values.rsqrt()) @ vectors.T


torch.manual_seed(0)
data = torch.randn(10 * SIZE, SIZE)
covariance = data.T @ data / len(data)
model = nn.Sequential(Whitening(covariance), nn.Linear(SIZE, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
x = torch.randn(STEPS, BATCH, SIZE)
y = torch.randint(4, (STEPS, BATCH))
losses = []
for step in range(STEPS):
    loss = criterion(model(x[step]), y[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
