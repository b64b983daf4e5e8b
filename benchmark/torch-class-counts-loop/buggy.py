import torch
from torch import nn

SAMPLES = 300000
CLASSES = 1000

torch.manual_seed(0)
labels = torch.randint(CLASSES, (SAMPLES,))
counts = torch.tensor([(labels == c).sum().item() for c in range(CLASSES)])
weights = SAMPLES / (CLASSES * counts.float().clamp(min=1))

criterion = nn.CrossEntropyLoss(weight=weights)
model = nn.Linear(8, CLASSES)
with torch.no_grad():
    loss = criterion(model(torch.randn(64, 8)), labels[:64])

result = [loss.item(), counts.tolist()]
