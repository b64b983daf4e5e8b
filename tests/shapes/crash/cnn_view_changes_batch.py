# torch 1.13: ValueError: Expected input batch_size (20) to match target batch_size (10).
# 20 * 5 * 5 features of each of 10 images are viewed as rows of 250: twice as many rows as targets.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 20, 4, stride=5)
        self.fc = nn.Linear(250, 10)  # fixed: self.fc = nn.Linear(500, 10)

    def forward(self, x):
        x = F.relu(self.conv(x))
        x = x.view(-1, 250)  # fixed: x = x.view(-1, 500)
        return self.fc(x)


model = Net()
criterion = nn.CrossEntropyLoss()
images = torch.randn(10, 1, 25, 25)
labels = torch.randint(0, 10, (10,))
loss = criterion(model(images), labels)  # expect: DP605
loss.backward()
