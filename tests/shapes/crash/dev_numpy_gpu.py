# torch 1.13: TypeError: can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.
# needs a GPU
import numpy as np
import torch
import torch.nn as nn

device = torch.device("cuda")
model = nn.Linear(4, 2).to(device)
outputs = []
with torch.no_grad():
    for _ in range(3):
        x = torch.rand(5, 4).to(device)
        p = torch.softmax(model(x), dim=1)
        outputs.append(p.numpy())  # expect: DP609  # fixed: outputs.append(p.cpu().numpy())
print(np.concatenate(outputs).shape)
