# torch 1.13: RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of dimension: 4
import torch
import torch.nn as nn

model = nn.Conv2d(3, 21, 1)
images = torch.rand(2, 3, 32, 32)
masks = torch.randint(0, 21, (2, 1, 32, 32))
loss = nn.CrossEntropyLoss()(model(images), masks)  # expect: DP605  # fixed: loss = nn.CrossEntropyLoss()(model(images), masks.squeeze(1))
