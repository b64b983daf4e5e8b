# torch 1.13: TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple
import torch
from torch import nn

model = nn.Sequential(
    nn.Embedding(100, 8),
    nn.LSTM(8, 16, batch_first=True),  # fixed: nn.Flatten(),
    nn.Linear(16, 2),  # or here  # fixed: nn.Linear(8 * 5, 2),
)
tokens = torch.randint(0, 100, (4, 5))
model(tokens)  # expect: DP610
