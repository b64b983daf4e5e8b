# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (16x9216 and 3136x128)
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class Net(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.drop = nn.Dropout2d(0.25)
        self.fc1 = nn.Linear(64 * 7 * 7, 128)  # fixed: self.fc1 = nn.Linear(64 * 12 * 12, 128)
        self.fc2 = nn.Linear(128, classes)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = self.drop(x)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))  # expect: DP601
        return F.log_softmax(self.fc2(x), dim=1)


def train(model, opt, batches):
    model.train()
    for i in range(batches):
        data = torch.rand(16, 1, 28, 28)
        target = torch.randint(0, 10, (16,))
        opt.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        opt.step()


if __name__ == "__main__":
    net = Net()
    train(net, optim.SGD(net.parameters(), lr=0.01), 2)
