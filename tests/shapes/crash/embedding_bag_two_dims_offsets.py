# torch 1.13: RuntimeError: mat1 and mat2 shapes cannot be multiplied (4x8 and 16x3)
import torch
from torch import nn

bag = nn.EmbeddingBag(100, 8, mode="sum")
fc = nn.Linear(16, 3)  # fixed: fc = nn.Linear(8, 3)
text = torch.randint(0, 100, (4, 6))
out = fc(bag(text))  # expect: DP601
