import torch
from torch import nn
from torchvision.datasets import MNIST
from torchvision.models import resnet18

model = resnet18(num_classes=10).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(loader):
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))  # hint: DP513
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


train(torch.utils.data.DataLoader(MNIST("data"), batch_size=128, shuffle=True, num_workers=4, pin_memory=True))
