import torch
from torch import nn

model = nn.Linear(3, 1)
with torch.no_grad():
    a = model(torch.rand(2, 3)).numpy()
b = model(torch.rand(2, 3)).detach().numpy()
c = model.weight.data.numpy()
d = torch.rand(3).numpy()
e = (model(torch.rand(2, 3)) > 0).numpy()
f = model(torch.rand(2, 3)).argmax(0).numpy()


@torch.no_grad()
def predict(x):
    return model(x).numpy()


predict(torch.rand(4, 3))
for p in model.parameters():
    p.requires_grad_(False)
g = model(torch.rand(2, 3)).numpy()
