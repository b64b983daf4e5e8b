import torch
from torch import nn

BATCH = 128
STEPS = 25


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU())
        self.head = nn.Linear(512, 5)

    def forward(self, x):
        return self.head(self.backbone(x))


torch.manual_seed(0)
model = Classifier()
for parameter in model.backbone.parameters():
    parameter.require_grad = False
optimizer = torch.optim.SGD(model.head.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
x = torch.randn(STEPS, BATCH, 256)
y = torch.randint(5, (STEPS, BATCH))
losses = []
for step in range(STEPS):
    loss = criterion(model(x[step]), y[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
