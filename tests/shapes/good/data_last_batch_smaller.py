import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(50, 2, 3), torch.randn(50, 1)), batch_size=16)
model = nn.Sequential(nn.Flatten(), nn.Linear(6, 1))
outputs = []
for x, y in loader:
    pred = model(x)
    loss = nn.functional.mse_loss(pred, y)
    outputs.append(pred.detach())
everything = torch.cat(outputs)
