import torch
from torch import nn

BATCH = 64
NOISE = 32
PIXELS = 784
STEPS = 20

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(NOISE, 128), nn.ReLU(), nn.Linear(128, PIXELS), nn.Tanh())
discriminator = nn.Sequential(nn.Linear(PIXELS, 1024), nn.LeakyReLU(0.2), nn.Linear(1024, 1024), nn.LeakyReLU(0.2), nn.Linear(1024, 1))
generator_optimizer = torch.optim.SGD(generator.parameters(), lr=0.01)
discriminator_optimizer = torch.optim.SGD(discriminator.parameters(), lr=0.01)
criterion = nn.BCEWithLogitsLoss()
ones = torch.ones(BATCH, 1)
zeros = torch.zeros(BATCH, 1)
losses = []
for step in range(STEPS):
    real = torch.rand(BATCH, PIXELS) * 2 - 1
    fake = generator(torch.randn(BATCH, NOISE))

    discriminator_loss = criterion(discriminator(real), ones) + criterion(discriminator(fake.detach()), zeros)
    discriminator_optimizer.zero_grad()
    discriminator_loss.backward()
    discriminator_optimizer.step()

    generator_loss = criterion(discriminator(fake), ones)
    generator_optimizer.zero_grad()
    generator_loss.backward()
    generator_optimizer.step()
    losses.append([discriminator_loss.item(), generator_loss.item()])

result = losses
