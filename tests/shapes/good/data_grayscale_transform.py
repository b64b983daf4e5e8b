import torch
from torch import nn
from torchvision import datasets, transforms

tf = transforms.Compose([transforms.Grayscale(), transforms.Resize(20), transforms.CenterCrop(16), transforms.ToTensor()])
loader = torch.utils.data.DataLoader(datasets.CIFAR10(".", transform=tf), batch_size=8)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 14 * 14, 10))
for x, y in loader:
    net(x)
