import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")  # expect: DP502
use_cuda = torch.cuda.is_available()  # expect: DP502
shown = torch.cuda.is_available()
cpu = torch.device("cpu")
print(shown)

model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.MSELoss()


def train(loader):
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
