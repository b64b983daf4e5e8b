# torch 1.13: RuntimeError: Given groups=1, weight of size [32, 1, 3, 3], expected input[32, 3, 32, 32] to have 1 channels, but got 3 channels instead
import torch
import torchvision
import torchvision.transforms as T
from torch import nn

train_data = torchvision.datasets.CIFAR10(root="./data", train=True, transform=T.ToTensor(), download=True)
train_loader = torch.utils.data.DataLoader(train_data, batch_size=32, shuffle=True)

model = nn.Sequential(
    nn.Conv2d(1, 32, 3),  # or here  # fixed: nn.Conv2d(3, 32, 3),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(32 * 15 * 15, 10),
)
loss_fn = nn.CrossEntropyLoss()
for x, y in train_loader:
    loss = loss_fn(model(x), y)  # expect: DP601
    loss.backward()
