import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCHES = 40
BATCH = 32
VALIDATION = 1200

torch.manual_seed(0)
train_set = TensorDataset(torch.randn(BATCHES * BATCH, 16), torch.randint(3, (BATCHES * BATCH,)))
validation_set = TensorDataset(torch.randn(VALIDATION, 16), torch.randint(3, (VALIDATION,)))
train_loader = DataLoader(train_set, batch_size=BATCH)
validation_loader = DataLoader(validation_set, batch_size=100)
model = nn.Linear(16, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def validate(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(dim=1) == y).sum().item()
    model.train()
    return correct / len(loader.dataset)


for x, y in train_loader:
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
accuracy = validate(model, validation_loader)

result = [loss.item(), accuracy]
