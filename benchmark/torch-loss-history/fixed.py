import torch
from torch import nn

BATCH = 1024
STEPS = 15
HIDDEN = 256

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(32, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 8))
decoder = nn.Sequential(nn.Linear(8, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 32))
optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.01)
criterion = nn.MSELoss()
data = torch.randn(BATCH, 32)


def contrast(x):
    noise = 0.1 * torch.sin(torch.arange(x.shape[0]).float()).unsqueeze(1)
    return criterion(decoder(encoder(x + noise)), x)


def train(steps):
    running_loss = 0.0
    for step in range(steps):
        optimizer.zero_grad()
        loss = criterion(decoder(encoder(data)), data)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            running_loss += contrast(data).item()
    return running_loss / steps


mean_loss = train(STEPS)
print(f"mean loss {float(mean_loss):.4f}")
result = float(mean_loss)
