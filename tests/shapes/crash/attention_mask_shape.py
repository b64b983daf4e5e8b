# torch 1.13: RuntimeError: The size of tensor a (2) must match the size of tensor b (4) at non-singleton dimension 1
import torch
import torch.nn.functional as F

B, H, T, D = 2, 4, 7, 8
q = k = v = torch.randn(B, H, T, D)
mask = torch.tril(torch.ones(T, T)).unsqueeze(0).expand(B, T, T)
scores = q @ k.transpose(-1, -2) / D ** 0.5
scores = scores.masked_fill(mask == 0, float("-inf"))  # expect: DP602  # fixed: scores = scores.masked_fill(mask[:, None] == 0, float("-inf"))
out = F.softmax(scores, -1) @ v
