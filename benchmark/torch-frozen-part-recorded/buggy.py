import torch
from torch import nn
from torchvision.models import resnet18

BATCH = 8
SIZE = 64
STEPS = 4
CLASSES = 10


class Probe(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.backbone = resnet18()
        self.backbone.fc = nn.Identity()
        self.head = nn.Linear(512, classes)

    def train(self, mode=True):
        super().train(mode)
        self.backbone.eval()
        return self

    def forward(self, images):
        features = self.backbone(images)
        return self.head(features)


torch.manual_seed(0)
images = torch.randn(STEPS, BATCH, 3, SIZE, SIZE)
labels = torch.randint(CLASSES, (STEPS, BATCH))
model = Probe(CLASSES).train()
optimizer = torch.optim.SGD(model.head.parameters(), lr=0.01)
losses = []
# measured from here
for step in range(STEPS):
    loss = nn.functional.cross_entropy(model(images[step]), labels[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
