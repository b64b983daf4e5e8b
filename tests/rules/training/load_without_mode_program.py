import sys
import torch
from torch import nn
from PIL import Image
from torchvision import transforms


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(4))  # hint: DP238
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(256, 2))

    def forward(self, x):
        return self.head(self.features(x))


def load(path):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return net


def predict(net, file):
    x = transforms.ToTensor()(Image.open(file).convert("RGB")).unsqueeze(0)
    with torch.no_grad():
        return net(x).softmax(1)[0].tolist()  # expect: DP813


if __name__ == "__main__":
    net = load(sys.argv[1])
    for file in sys.argv[2:]:
        print(file, predict(net, file))
