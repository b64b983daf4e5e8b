import torch
from torch import nn

BATCH = 64
BATCHES = 12
SIZE = 32


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc = nn.Linear(32, 10)

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(x))
        return self.fc(x.mean(dim=(2, 3)))


def predict(model, images):
    model.eval()
    outputs = []
    for start in range(0, len(images), BATCH):
        logits = model(images[start:start + BATCH])
        outputs.append(torch.softmax(logits, dim=1))
    return torch.cat(outputs)


torch.manual_seed(0)
net = Net()
test_images = torch.rand(BATCH * BATCHES, 3, SIZE, SIZE)
result = predict(net, test_images).sum(dim=0).tolist()
