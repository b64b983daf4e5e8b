# torch 1.13: ValueError: Using a target size (torch.Size([120])) that is different to the input size (torch.Size([120, 1])) is deprecated. Please ensure they have the same size.
import numpy as np
import torch
import torch.nn as nn

features = np.random.rand(120, 8).astype(np.float32)
labels = np.random.randint(0, 2, size=120).astype(np.float32)


class LogReg(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.linear = nn.Linear(n_in, 1)

    def forward(self, x):
        return torch.sigmoid(self.linear(x))


def run():
    model = LogReg(features.shape[1])
    loss_fn = nn.BCELoss()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.from_numpy(features)
    t = torch.from_numpy(labels)  # fixed: t = torch.from_numpy(labels).unsqueeze(1)
    for epoch in range(5):
        opt.zero_grad()
        p = model(x)
        loss = loss_fn(p, t)  # expect: DP605
        loss.backward()
        opt.step()
    return model


run()
