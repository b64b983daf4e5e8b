import torch
from torch import nn

BATCH = 4
STEPS = 120
CHANNELS = 64
SIZE = 12


class BlurPool(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.channels = channels

    def forward(self, x):
        blur = nn.Conv2d(self.channels, self.channels, 7, stride=2, padding=3, bias=False)
        with torch.no_grad():
            blur.weight.fill_(1.0 / (49 * self.channels))
        blur.weight.requires_grad_(False)
        return blur(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = BlurPool(CHANNELS)
        self.fc = nn.Linear(CHANNELS, 5)

    def forward(self, x):
        return self.fc(self.pool(x).mean(dim=(2, 3)))


torch.manual_seed(0)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images = torch.rand(BATCH, CHANNELS, SIZE, SIZE)
labels = torch.arange(BATCH) % 5
losses = []
for step in range(STEPS):
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
