import torch

labels = torch.tensor([3, 1, 3, 2])
values, counts = torch.unique(labels, return_counts=True)
index = torch.nonzero(labels == 3).squeeze(1)
picked = torch.rand(4, 5)[index]
(picked.mean(0) * torch.ones(5)).sum()
shares = counts.float() / counts.sum()
(values * shares).sum()
