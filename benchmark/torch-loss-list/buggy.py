import torch
from torch import nn
import torch.nn.functional as F

BATCH = 512
STEPS = 15
HIDDEN = 256


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(64, HIDDEN)
        self.mean = nn.Linear(HIDDEN, 16)
        self.log_var = nn.Linear(HIDDEN, 16)
        self.decoder = nn.Sequential(nn.Linear(16, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 64))

    def forward(self, x):
        h = torch.relu(self.body(x))
        mean, log_var = self.mean(h), self.log_var(h)
        z = mean + torch.exp(0.5 * log_var) * torch.randn_like(mean)
        return self.decoder(z), mean, log_var


torch.manual_seed(0)
model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
data = torch.rand(BATCH, 64)
history = []
for step in range(STEPS):
    reconstruction, mean, log_var = model(data)
    kl = -0.5 * (1 + log_var - mean.pow(2) - log_var.exp()).sum(dim=1).mean()
    penalty = torch.exp(-reconstruction.pow(2)).mean()
    loss = F.mse_loss(reconstruction, data) + 0.01 * kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(penalty)

result = [float(value) for value in history]
