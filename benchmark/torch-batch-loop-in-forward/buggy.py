import torch
from torch import nn

BATCH = 256
LENGTH = 20
SIZE = 64
STEPS = 12


class AttentivePool(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.score = nn.Linear(size, 1)
        self.head = nn.Linear(size, 5)

    def forward(self, x):
        pooled = []
        for i in range(x.size(0)):
            weights = torch.softmax(self.score(x[i]), dim=0)
            pooled.append((weights * x[i]).sum(dim=0))
        return self.head(torch.stack(pooled))


torch.manual_seed(0)
model = AttentivePool(SIZE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
documents = torch.randn(BATCH, LENGTH, SIZE)
labels = torch.randint(5, (BATCH,))
losses = []
for step in range(STEPS):
    optimizer.zero_grad()
    loss = criterion(model(documents), labels)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

result = losses
