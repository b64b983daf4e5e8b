# torch 1.13: RuntimeError: Given groups=1, weight of size [16, 3, 3, 3], expected input[16, 1, 32, 32] to have 3 channels, but got 1 channels instead
import torch
import torchvision
import torchvision.transforms as T
from torch import nn
from torch.utils.data import DataLoader

transform = T.Compose([
    T.Grayscale(),  # fixed:
    T.ToTensor(),
])
data = torchvision.datasets.FakeData(64, (3, 32, 32), 10, transform=transform)
loader = DataLoader(data, batch_size=16)

model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(16, 10),
)
crit = nn.CrossEntropyLoss()
for images, labels in loader:
    out = model(images)  # expect: DP601
    loss = crit(out, labels)
    loss.backward()
