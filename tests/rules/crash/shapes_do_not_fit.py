import torch

a = torch.randn(8, 64)
b = torch.randn(8, 32)
sum_of_two = a + b  # expect: DP602
product = a @ b  # expect: DP602
right = a @ b.t().reshape(64, 4)
joined = torch.cat([a, b], dim=1)
stacked = torch.stack([a, b])  # expect: DP602
below = torch.cat([a, b])  # expect: DP602
scaled = a * torch.randn(64)
column = a + torch.randn(8, 1)
attention = torch.einsum("bd,be->de", a, b)
wrong = torch.einsum("bd,cd->bc", a, b)  # expect: DP602


def unknown(x, y):
    return x + y
