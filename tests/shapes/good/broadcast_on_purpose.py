import torch

# Distances between all pairs: the two broadcasts are meant.
a = torch.randn(50, 1, 3)
b = torch.randn(1, 40, 3)
distances = ((a - b) ** 2).sum(-1).sqrt()
assert distances.shape == (50, 40)
column = torch.arange(5).unsqueeze(1)
row = torch.arange(7)
table = column * row
outer = table.float() + torch.zeros(3, 1, 1)
