# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (8x256 and 2048x2)
# One image without a batch dimension: flatten(1) keeps the channels as rows.
import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(8 * 16 * 16, 2),  # or here
)
image = torch.rand(3, 16, 16)
prediction = model(image)  # expect: DP601  # fixed: prediction = model(image.unsqueeze(0))
