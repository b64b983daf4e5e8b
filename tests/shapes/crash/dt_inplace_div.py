# torch 1.13: RuntimeError: result type Float can't be cast to the desired output type Long
import torch

counts = torch.zeros(5, dtype=torch.long)
labels = torch.randint(0, 5, (100,))
counts.index_add_(0, labels, torch.ones_like(labels))
counts /= counts.sum()  # expect: DP607  # fixed: counts = counts / counts.sum()
print(counts)
