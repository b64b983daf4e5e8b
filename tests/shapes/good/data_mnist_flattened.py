import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

tf = transforms.Compose([
    transforms.ToTensor(),
    transforms.Normalize((0.5,), (0.5,)),
    transforms.Lambda(lambda x: x.view(-1)),
])
loader = DataLoader(datasets.MNIST(".", train=True, download=True, transform=tf), batch_size=8)
model = nn.Sequential(nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))
for x, y in loader:
    nn.functional.cross_entropy(model(x), y)
