# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (16x16384 and 4096x10)
import torch
from torch import nn
from torchvision import datasets, transforms

tf = transforms.Compose([
    transforms.Resize((64, 64)),
    transforms.ToTensor(),
])
test_loader = torch.utils.data.DataLoader(datasets.CIFAR10(".", train=False, transform=tf), batch_size=16)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.out = nn.Linear(4 * 32 * 32, 10)  # fixed: self.out = nn.Linear(4 * 64 * 64, 10)

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = x.view(x.shape[0], -1)
        return self.out(x)  # expect: DP601


model = Model()
model.eval()
with torch.no_grad():
    for data, target in test_loader:
        pred = model(data).argmax(dim=1)
