import torch
from torch import nn

model = nn.Linear(4096, 4096).to("cpu")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


for x, y in torch.utils.data.DataLoader(torch.load("train.pt", weights_only=True)):  # hint: DP130, DP516
    x, y = x.to("cpu"), y.to("cpu")
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
