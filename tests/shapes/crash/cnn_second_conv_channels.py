# torch 1.13: RuntimeError: Given groups=1, weight of size [64, 16, 5, 5], expected input[2, 32, 16, 16] to have 16 channels, but got 32 channels instead
import torch
import torch.nn as nn


class SmallCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Sequential(nn.Conv2d(3, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2))
        self.layer2 = nn.Sequential(nn.Conv2d(16, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2))  # or here  # fixed: self.layer2 = nn.Sequential(nn.Conv2d(32, 64, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2))
        self.fc = nn.Linear(64 * 8 * 8, 10)

    def forward(self, x):
        out = self.layer1(x)
        out = self.layer2(out)  # expect: DP601
        out = out.reshape(out.size(0), -1)
        return self.fc(out)


def main():
    model = SmallCNN()
    x = torch.randn(2, 3, 32, 32)
    y = model(x)
    print(y.size())


if __name__ == "__main__":
    main()
