# torch 1.13: RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
import torch
import torch.nn as nn
import numpy as np

x = torch.linspace(-1, 1, 100).unsqueeze(1)
y = x.pow(3) + 0.1 * torch.randn(x.size())
model = nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
history = []
for epoch in range(20):
    pred = model(x)
    loss = nn.functional.mse_loss(pred, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(loss.item())
curve = model(x).numpy()  # expect: DP609  # fixed: curve = model(x).detach().numpy()
err = np.abs(curve - y.numpy()).max()
print(err)
