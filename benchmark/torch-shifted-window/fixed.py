import torch

STEPS = 4000
WINDOW = 8000
CHANNELS = 32

torch.manual_seed(0)
samples = torch.randn(STEPS, CHANNELS)
buffer = torch.zeros(WINDOW, CHANNELS)
total = torch.zeros(CHANNELS)
energies = []
for t in range(STEPS):
    oldest = buffer[t % WINDOW].clone()
    buffer[t % WINDOW] = samples[t]
    total = total + samples[t] - oldest
    energies.append(total.pow(2).sum().item())

result = energies + [buffer.sum().item()]
