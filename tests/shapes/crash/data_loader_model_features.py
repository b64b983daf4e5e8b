# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x30 and 20x16)
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

X = torch.randn(256, 30)
y = torch.randint(0, 2, (256,))
train_loader = DataLoader(TensorDataset(X, y), batch_size=32, shuffle=True)


class Net(nn.Module):
    def __init__(self, n_inputs=20):  # fixed: def __init__(self, n_inputs=30):
        super().__init__()
        self.hidden = nn.Linear(n_inputs, 16)
        self.out = nn.Linear(16, 2)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))  # expect: DP601


def train(model, loader, epochs=2):
    optimizer = torch.optim.Adam(model.parameters())
    loss_fn = nn.CrossEntropyLoss()
    for _ in range(epochs):
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            optimizer.step()


train(Net(), train_loader)
