import torch
from torch import nn
import torch.nn.functional as F

BATCH = 256
STEPS = 16
TEMPERATURE = 2.0


def mlp(width, depth):
    layers = [nn.Linear(64, width), nn.ReLU()]
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, 10))


torch.manual_seed(0)
teacher = mlp(1024, 4)
student = mlp(64, 1)
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
batches = [torch.randn(BATCH, 64) for _ in range(STEPS)]
teacher.eval()
student.train()
losses = []
for x in batches:
    with torch.no_grad():
        soft_targets = F.softmax(teacher(x) / TEMPERATURE, dim=1)
    log_probs = F.log_softmax(student(x) / TEMPERATURE, dim=1)
    loss = F.kl_div(log_probs, soft_targets, reduction="batchmean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
