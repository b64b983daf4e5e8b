import logging

import torch
from torch import nn

BATCH = 32
STEPS = 200

logger = logging.getLogger("training")
logging.basicConfig(level=logging.INFO)

torch.manual_seed(0)
model = nn.Linear(64, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(BATCH, 64)
y = torch.arange(BATCH) % 10
for step in range(STEPS):
    logits = model(x)
    loss = nn.functional.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()
    logger.debug(f"step {step}: logits {logits}, gradient {model.weight.grad}")
    optimizer.step()

logger.info(f"final loss {loss.item():.4f}")
result = loss.item()
