# After training, or with loaded weights, a script runs its model once.
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss()
inputs, labels = torch.rand(64, 8), torch.randint(0, 3, (64,))

for epoch in range(100):
    optimizer.zero_grad()
    criterion(model(inputs), labels).backward()
    optimizer.step()

predicted = model(inputs).data.argmax(1)  # expect: DP232
print(predicted)

with torch.no_grad():
    print(model(inputs).argmax(1))
