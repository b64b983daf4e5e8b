import torch
from torch import nn

STEPS = 150
BATCH = 512
CLASSES = 20


def smooth_targets(labels):
    targets = torch.zeros(len(labels), CLASSES)
    for i in range(len(labels)):
        targets[i, labels[i]] = 1.0
    return targets * 0.9 + 0.1 / CLASSES


torch.manual_seed(0)
model = nn.Linear(32, CLASSES)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(STEPS, BATCH, 32)
labels = torch.randint(CLASSES, (STEPS, BATCH))
losses = []
for x, y in zip(inputs, labels):
    log_probs = model(x).log_softmax(dim=1)
    loss = -(smooth_targets(y) * log_probs).sum(dim=1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
