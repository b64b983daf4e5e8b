import torch
from torch import nn

model = nn.Linear(2, 2)
if torch.cuda.is_available():
    model = model.cuda()
device = next(model.parameters()).device
x = torch.ones(1, 2).to(device)
y = model(x)
if torch.cuda.is_available():
    y = y.cpu()
print(y.detach().numpy())
